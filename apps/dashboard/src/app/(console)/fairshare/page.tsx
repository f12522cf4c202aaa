import type { Metadata } from "next";
import { FairsharePage } from "../../../features/fairshare/fairshare-page";
import { requireSession } from "../../../server/session";

export const metadata: Metadata = { title: "Fairshare" };

export default async function Page() {
  await requireSession();
  return <FairsharePage />;
}
