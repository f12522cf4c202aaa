"use client";

import Link from "next/link";
import { useSearchParams } from "next/navigation";
import { Notice } from "../../components/ui/notice";
import { formatClock } from "../../lib/format";
import { usePreferences } from "../../lib/preferences";
import { modeBanner } from "../../lib/scope";
import { useIsMounted } from "../../lib/use-is-mounted";
import { useLive } from "../../queries/use-live";

/**
 * Says when the limits in force are not those configured. It stands at the foot of the window, where pages leave room:
 * in the flow it would push everything under a reader's eyes down when it comes.
 */
export function ModeBanner() {
  const live = useLive()?.live;
  const { clock } = usePreferences();
  const open = useSearchParams().get("pool");
  // Since when is written in the reader's zone, which only the browser knows.
  const isMounted = useIsMounted();
  if (live === undefined || !isMounted) return null;
  const pool = live.pools.find((candidate) => candidate.model === open) ?? null;
  const words = modeBanner(live, formatClock(live.mode_since_ts_ms, clock), pool);
  if (words === null) return null;
  return (
    <div
      data-mode-banner
      className="pointer-events-none fixed inset-x-0 bottom-0 z-20 mx-auto max-w-[1440px] px-4 pb-2"
    >
      <Notice
        className="pointer-events-auto shadow-layer"
        role={words.isWarning ? "alert" : "status"}
        tone={words.isWarning ? "watch" : "open"}
        shape={words.isWarning ? "triangle" : "ring"}
        actions={
          <Link className="link text-small" href="/settings?tab=cluster">
            Open cluster
          </Link>
        }
      >
        <span data-mode={live.mode}>{words.text}</span>
      </Notice>
    </div>
  );
}
