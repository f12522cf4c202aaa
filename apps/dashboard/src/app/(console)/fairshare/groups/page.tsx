import type { Metadata } from "next";
import { GroupsPage } from "../../../../features/groups/groups-page";
import { requireSession } from "../../../../server/session";

export const metadata: Metadata = { title: "Groups & weights" };

export default async function Page() {
  await requireSession();
  return <GroupsPage />;
}
