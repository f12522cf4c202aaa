import type { Metadata } from "next";
import { OverviewPage } from "../../features/overview/overview-page";
import { requireSession } from "../../server/session";

export const metadata: Metadata = { title: "Overview" };

export default async function Page() {
  await requireSession();
  return <OverviewPage />;
}
