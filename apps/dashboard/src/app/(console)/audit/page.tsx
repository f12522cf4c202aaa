import type { Metadata } from "next";
import { AuditPage } from "../../../features/audit/audit-page";
import { requireSession } from "../../../server/session";

export const metadata: Metadata = { title: "Audit" };

export default async function Page() {
  await requireSession();
  return <AuditPage />;
}
