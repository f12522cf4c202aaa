"use client";

import { Pause, Play, RefreshCw } from "lucide-react";
import { Button } from "../../components/ui/button";
import { togglePause } from "../../lib/pause";
import { useFreshness } from "../../queries/use-live";
import { BoostChip } from "./boost-chip";
import { FreshnessChip } from "./freshness-chip";
import { ScopeChip } from "./scope-chip";
import { usePauseInAddress } from "./use-pause-in-address";

/** Whose numbers, how old, and what is boosted: on every page, always in the same place. */
export function StatusBar() {
  const fresh = useFreshness();
  usePauseInAddress(fresh.sample !== undefined);
  const isPaused = fresh.pausedAtMs !== null;
  return (
    <div className="border-t bg-bg">
      <div
        data-status-bar
        className="mx-auto flex h-9 max-w-[1440px] items-center gap-0.5 overflow-x-auto px-3 text-micro sm:gap-1 sm:px-4 text-text-2 [scrollbar-width:none]"
      >
        <FreshnessChip fresh={fresh} />
        <ScopeChip live={fresh.sample?.live} />
        <BoostChip serverNowMs={fresh.serverNowMs} />
        <div className="sticky -right-4 ml-auto flex shrink-0 items-center bg-bg pr-1 sm:right-0 sm:gap-1">
          <Button
            variant="ghost"
            size="small"
            onClick={togglePause}
            aria-pressed={isPaused}
            className="text-micro sm:min-w-20"
          >
            {isPaused ? (
              <Play className="size-3.5" aria-hidden="true" />
            ) : (
              <Pause className="size-3.5" aria-hidden="true" />
            )}
            <span className="sr-only sm:not-sr-only">{isPaused ? "Resume" : "Pause"}</span>
          </Button>
          <Button variant="ghost" size="small" onClick={fresh.retry} className="text-micro" aria-label="Refresh">
            <RefreshCw className="size-3.5" aria-hidden="true" />
            <span className="hidden sm:inline">Refresh</span>
          </Button>
        </div>
      </div>
    </div>
  );
}
