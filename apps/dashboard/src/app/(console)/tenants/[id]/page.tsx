import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { TenantPage } from "../../../../features/tenants/tenant-page";
import { nameInPath } from "../../../../lib/name-in-address";
import { requireSession } from "../../../../server/session";

export const metadata: Metadata = { title: "Tenant" };

interface PageProps {
  params: Promise<{ id: string }>;
}

export default async function Page({ params }: PageProps) {
  await requireSession();
  const id = nameInPath((await params).id);
  if (id === null) notFound();
  return <TenantPage id={id} />;
}
