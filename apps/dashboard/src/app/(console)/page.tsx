import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { requireSession } from "../../server/session";

export const metadata: Metadata = { title: "Overview" };

export default async function Page() {
  await requireSession();
  redirect("/fairshare");
}
