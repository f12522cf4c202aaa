import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { ModelPage } from "../../../../features/models/model-page";
import { nameInPath } from "../../../../lib/name-in-address";
import { requireSession } from "../../../../server/session";

export const metadata: Metadata = { title: "Model" };

interface PageProps {
  params: Promise<{ id: string }>;
}

export default async function Page({ params }: PageProps) {
  await requireSession();
  const name = nameInPath((await params).id);
  if (name === null) notFound();
  return <ModelPage name={name} />;
}
