"use client";

import { PlainPage } from "../components/layout/plain-page";
import { ReloadButton } from "../components/layout/reload-button";

/** The frame itself failed. */
export default function RootFault({ error }: Readonly<{ error: Error & { digest?: string } }>) {
  return (
    <PlainPage title="This page failed" actions={<ReloadButton />}>
      The gateways are not concerned. {error.digest ? `The dashboard's log has it as ${error.digest}.` : null}
    </PlainPage>
  );
}
