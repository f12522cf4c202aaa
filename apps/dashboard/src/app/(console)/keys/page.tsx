import type { Metadata } from "next";
import { KeysPage } from "../../../features/keys/keys-page";
import { requireSession } from "../../../server/session";

export const metadata: Metadata = { title: "Keys" };

export default async function Page() {
  await requireSession();
  return <KeysPage />;
}
