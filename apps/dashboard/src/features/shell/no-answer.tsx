"use client";

import { Button } from "../../components/ui/button";
import { Notice } from "../../components/ui/notice";
import { errorMessage } from "../../lib/api";
import { useFreshness } from "../../queries/use-live";

/** Stands where the banner about limits does while nothing was ever read: a page of empty frames explains nothing. */
export function NoAnswer() {
  const fresh = useFreshness();
  if (fresh.sample !== undefined || fresh.state !== "stale") return null;
  return (
    <div className="pointer-events-none fixed inset-x-0 bottom-0 z-20 mx-auto max-w-[1440px] px-4 pb-2" data-no-answer>
      <Notice
        className="pointer-events-auto shadow-layer"
        role="alert"
        tone="urgent"
        shape="square"
        actions={
          <Button size="small" onClick={fresh.retry}>
            Retry
          </Button>
        }
      >
        Cannot read the gateways. {errorMessage(fresh.error)} Requests of clients may still be served: look at the
        gateway's log and at the address in OBLETH_MANAGEMENT_URL.
      </Notice>
    </div>
  );
}
