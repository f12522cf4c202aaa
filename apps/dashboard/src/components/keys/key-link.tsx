"use client";

import Link from "next/link";
import { usePathname, useSearchParams } from "next/navigation";

/** Opens a key's panel on the page it is listed on. */
export function KeyLink({ id, name }: Readonly<{ id: string; name: string }>) {
  const path = usePathname();
  const search = new URLSearchParams(useSearchParams());
  search.set("key", id);
  return (
    <Link className="name hover:underline" data-row-link scroll={false} href={`${path}?${search.toString()}`}>
      {name}
    </Link>
  );
}
