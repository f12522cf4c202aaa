import type { Metadata } from "next";
import { ModelPage } from "../../../../features/models/model-page";
import { requireSession } from "../../../../server/session";

export const metadata: Metadata = { title: "Model" };

interface PageProps {
  params: Promise<{ id: string }>;
}

export default async function Page({ params }: PageProps) {
  await requireSession();
  const { id } = await params;
  return <ModelPage name={decodeURIComponent(id)} />;
}
