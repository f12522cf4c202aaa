"use client";

import { PageHeader } from "../../components/layout/page-header";
import { ReloadButton } from "../../components/layout/reload-button";

/**
 * A page failed inside the frame, which stays: most often because a newer dashboard was started and a part that this tab
 * had not loaded yet is gone.
 */
export default function PageFault({ error }: Readonly<{ error: Error & { digest?: string } }>) {
  const log = error.digest ? ` The dashboard's log has it as ${error.digest}.` : "";
  return (
    <div role="alert">
      <PageHeader
        title="This page failed"
        answer={`The gateways are not concerned. A newer dashboard may have been started; what you typed is kept.${log}`}
        actions={<ReloadButton />}
      />
    </div>
  );
}
