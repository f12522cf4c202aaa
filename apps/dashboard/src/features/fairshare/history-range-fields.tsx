"use client";

import { useQueryStates } from "nuqs";
import { INPUT } from "../../components/ui/field";
import { cn } from "../../lib/cn";
import { formatMinute } from "../../lib/format";
import { usePreferences } from "../../lib/preferences";
import { lastTimeAt, SHORTEST_MS } from "./logic/history-range";
import { poolParams } from "./search-params";

interface HistoryRangeFieldsProps {
  shown: { fromMs: number; toMs: number };
  nowMs: number;
  /** The oldest moment the gateway still knows. */
  oldestMs: number;
}

/** Two times of day between which the history is shown. */
export function HistoryRangeFields({ shown, nowMs, oldestMs }: Readonly<HistoryRangeFieldsProps>) {
  const [{ from, to }, setParams] = useQueryStates(poolParams);
  const { clock } = usePreferences();
  const [fromMs, toMs] = [from ?? shown.fromMs, to ?? shown.toMs];
  const set = (end: "from" | "to", text: string) => {
    const at = lastTimeAt(text, nowMs, clock);
    if (at !== null) void setParams({ from: fromMs, to: toMs, [end]: at });
  };
  const zone = clock === "utc" ? "UTC" : "your time";
  const trouble =
    toMs - fromMs < SHORTEST_MS
      ? "The end must be at least a minute after the start; the last 15 minutes are shown."
      : toMs < oldestMs
        ? `This gateway's history begins at ${formatMinute(oldestMs, clock)}.`
        : null;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-small">
      {(["from", "to"] as const).map((end) => (
        <label key={end} className="flex items-center gap-2 text-micro text-text-2">
          {end === "from" ? "From" : "To"}
          <input
            type="time"
            className={cn(INPUT, "num w-28")}
            value={formatMinute(end === "from" ? fromMs : toMs, clock)}
            onChange={(event) => set(end, event.target.value)}
          />
        </label>
      ))}
      <span className="text-micro text-text-3">{zone}</span>
      {trouble === null ? null : (
        <p role="alert" className="text-micro text-text-2">
          {trouble}
        </p>
      )}
    </div>
  );
}
