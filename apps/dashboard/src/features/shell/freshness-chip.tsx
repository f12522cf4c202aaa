"use client";

import { Glyph } from "../../components/ui/glyph";
import { cn } from "../../lib/cn";
import { formatClock, plural } from "../../lib/format";
import { ageMs } from "../../lib/freshness";
import { usePreferences } from "../../lib/preferences";
import type { LiveFreshness } from "../../queries/use-live";
import { CHIP } from "./chip";

/** How old what the page shows is; its width does not move while it lives. */
export function FreshnessChip({ fresh }: Readonly<{ fresh: LiveFreshness }>) {
  const { clock } = usePreferences();
  const asOfMs = fresh.sample?.asOfMs ?? null;
  const seconds = Math.floor((ageMs({ asOfMs, serverNowMs: fresh.serverNowMs }) ?? 0) / 1000);
  const width = cn(CHIP, "num min-w-22 max-sm:shrink-0 max-sm:min-w-19");
  const since = asOfMs === null ? "the page opened" : formatClock(asOfMs, clock);
  switch (fresh.state) {
    case "loading":
      return <span className={width}>Connecting</span>;
    case "live":
      return (
        <span className={width} data-freshness="live" title={`Read every ${fresh.intervalMs / 1000} s`}>
          <Glyph shape="ring" tone="open" className="size-2.5" />
          Live, {Math.max(1, seconds)} s
        </span>
      );
    case "late":
      return (
        <span className={width} data-freshness="late">
          <Glyph shape="triangle" tone="watch" className="size-2.5" />
          {seconds} s old
        </span>
      );
    case "stale":
      return (
        <button
          type="button"
          className={cn(CHIP, "num font-medium text-text")}
          onClick={fresh.retry}
          data-freshness="stale"
        >
          <Glyph shape="square" tone="urgent" className="size-2.5" />
          <span>
            Not updating since {since} <span className="underline underline-offset-2">Retry</span>
          </span>
        </button>
      );
    case "paused":
      return <PausedChip fresh={fresh} />;
  }
}

function PausedChip({ fresh }: Readonly<{ fresh: LiveFreshness }>) {
  const { clock } = usePreferences();
  if (fresh.pausedAtMs === null) return null;
  const missed = Math.max(0, Math.floor((fresh.serverNowMs - fresh.pausedAtMs) / fresh.intervalMs));
  return (
    <span className={cn(CHIP, "num")} data-freshness="paused">
      <Glyph shape="dot" tone="idle" className="size-2.5" />
      Paused at {formatClock(fresh.pausedAtMs, clock)}, {plural(missed, "update")} not read
    </span>
  );
}
