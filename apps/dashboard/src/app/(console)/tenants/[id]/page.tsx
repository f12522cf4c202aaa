import type { Metadata } from "next";
import { TenantPage } from "../../../../features/tenants/tenant-page";
import { requireSession } from "../../../../server/session";

export const metadata: Metadata = { title: "Tenant" };

interface PageProps {
  params: Promise<{ id: string }>;
}

export default async function Page({ params }: PageProps) {
  await requireSession();
  const { id } = await params;
  return <TenantPage id={decodeURIComponent(id)} />;
}
