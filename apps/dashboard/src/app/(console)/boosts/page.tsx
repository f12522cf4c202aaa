import type { Metadata } from "next";
import { BoostsPage } from "../../../features/boosts/boosts-page";
import { requireSession } from "../../../server/session";

export const metadata: Metadata = { title: "Boosts" };

export default async function Page() {
  await requireSession();
  return <BoostsPage />;
}
