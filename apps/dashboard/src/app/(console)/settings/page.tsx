import type { Metadata } from "next";
import { SettingsPage } from "../../../features/settings/settings-page";
import { requireSession } from "../../../server/session";

export const metadata: Metadata = { title: "Settings" };

export default async function Page() {
  await requireSession();
  return <SettingsPage />;
}
