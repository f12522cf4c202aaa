import type { Metadata } from "next";
import { ModelsPage } from "../../../features/models/models-page";
import { requireSession } from "../../../server/session";

export const metadata: Metadata = { title: "Models" };

export default async function Page() {
  await requireSession();
  return <ModelsPage />;
}
