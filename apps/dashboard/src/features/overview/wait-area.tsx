"use client";

import { parseAsStringLiteral, useQueryState } from "nuqs";
import { useMemo } from "react";
import { LazyChart } from "../../components/chart/lazy-chart";
import { Panel } from "../../components/ui/panel";
import { formatCount, formatMinute } from "../../lib/format";
import { historyPeak, historyView } from "../../lib/history-series";
import { usePreferences } from "../../lib/preferences";
import { useHistory } from "../../queries/use-history";
import { useServerNow } from "../../queries/use-live";

const INTERVAL_MS = 10_000;
const HOUR_MS = 3_600_000;
const range = parseAsStringLiteral(["1h"]).withDefault("1h");

/** What waited over the last hour, all pools together. */
export function WaitArea() {
  useQueryState("range", range);
  const { clock } = usePreferences();
  const { data } = useHistory(null, INTERVAL_MS);
  const nowMs = useServerNow(INTERVAL_MS);
  const view = useMemo(
    () => (data ? historyView(data, { fromMs: nowMs - HOUR_MS, toMs: nowMs }) : { rows: [], gaps: [], bucketMs: 0 }),
    [data, nowMs],
  );
  const rows = useMemo(
    () => view.rows.map(({ tsMs, sample }) => ({ ts: tsMs, queued: sample?.queued ?? null })),
    [view],
  );
  const peak = historyPeak(view);
  const words =
    peak === null
      ? "No samples yet."
      : peak.peak === 0
        ? "Nothing waited in the last hour."
        : `Waiting peaked at ${formatCount(peak.peak)} at ${formatMinute(peak.peakTsMs, clock)}.`;
  return (
    <Panel title="Waiting, last hour">
      <p className="num mb-2 text-small text-text-2">{words}</p>
      <LazyChart
        label="Waiting requests in the last hour"
        rows={rows}
        stepMs={view.bucketMs}
        bands={[{ key: "queued", name: "waiting", color: "var(--open)" }]}
        gaps={view.gaps}
        marks={data?.switches ?? []}
        fromMs={nowMs - HOUR_MS}
        toMs={nowMs}
        heightPx={140}
        zone={clock}
      />
    </Panel>
  );
}
