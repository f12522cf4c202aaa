import type { Metadata } from "next";
import { UsagePage } from "../../../features/usage/usage-page";
import { requireSession } from "../../../server/session";

export const metadata: Metadata = { title: "Usage" };

export default async function Page() {
  await requireSession();
  return <UsagePage />;
}
