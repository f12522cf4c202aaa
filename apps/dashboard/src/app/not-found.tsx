import type { Metadata } from "next";
import Link from "next/link";
import { PlainPage } from "../components/layout/plain-page";
import { Button } from "../components/ui/button";

export const metadata: Metadata = { title: "No such page" };

/** An address that leads nowhere: mistyped, or from another version. */
export default function NotFound() {
  return (
    <PlainPage
      title="There is no page here"
      actions={
        <>
          <Button asChild variant="primary">
            <Link href="/">Overview</Link>
          </Button>
          <Button asChild>
            <Link href="/fairshare">Fairshare</Link>
          </Button>
        </>
      }
    >
      The address is mistyped, or the page was in another version.
    </PlainPage>
  );
}
