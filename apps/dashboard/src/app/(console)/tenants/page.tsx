import type { Metadata } from "next";
import { TenantsPage } from "../../../features/tenants/tenants-page";
import { requireSession } from "../../../server/session";

export const metadata: Metadata = { title: "Tenants" };

export default async function Page() {
  await requireSession();
  return <TenantsPage />;
}
