"use client";

import { parseAsStringLiteral, useQueryState } from "nuqs";
import { useMemo } from "react";
import { LazyChart } from "../../components/chart/lazy-chart";
import { Panel } from "../../components/ui/panel";
import { Segmented } from "../../components/ui/segmented";
import type { Zone } from "../../lib/format";
import { type HistoryFacts, historyFacts, peakWords } from "../../lib/history-facts";
import { historyView } from "../../lib/history-series";
import { usePreferences } from "../../lib/preferences";
import { useIsMounted } from "../../lib/use-is-mounted";
import { useNow } from "../../lib/use-now";
import { useFirstHistory } from "../../queries/first-answers";
import { useHistory } from "../../queries/use-history";

const INTERVAL_MS = 10_000;
const HOUR_MS = 3_600_000;
const RANGES_MS = { "1h": HOUR_MS, "24h": 24 * HOUR_MS } as const;
const rangeParam = parseAsStringLiteral(["1h", "24h"]).withDefault("1h").withOptions({ history: "replace" });

/** What waited over the last hour or day, as far as the gateway keeps it; all pools together. */
export function WaitArea() {
  const [range, setRange] = useQueryState("range", rangeParam);
  const { clock } = usePreferences();
  const isMounted = useIsMounted();
  const spanMs = RANGES_MS[range];
  const { data, error } = useHistory(null, INTERVAL_MS);
  const nowMs = useNow(INTERVAL_MS);
  const view = useMemo(
    () => (data ? historyView(data, { fromMs: nowMs - spanMs, toMs: nowMs }) : { rows: [], gaps: [], bucketMs: 0 }),
    [data, nowMs, spanMs],
  );
  const rows = useMemo(
    () => view.rows.map(({ tsMs, sample }) => ({ ts: tsMs, queued: sample?.queued ?? null })),
    [view],
  );
  const first = useFirstHistory(null, range);
  const facts = data ? historyFacts(view) : first;
  return (
    <Panel
      title={range === "1h" ? "Waiting, last hour" : "Waiting, last 24 hours"}
      actions={
        <Segmented
          label="How far back"
          value={range}
          options={[
            { value: "1h", label: "1 h" },
            { value: "24h", label: "24 h" },
          ]}
          onValue={(next) => void setRange(next)}
        />
      }
    >
      <p className="num mb-2 text-small text-text-2">
        {facts === undefined && error
          ? "Not read: the gateway did not answer."
          : waitWords(facts, { range, zone: isMounted ? clock : null })}
      </p>
      <LazyChart
        label="Waiting requests over time"
        rows={rows}
        stepMs={view.bucketMs}
        bands={[{ key: "queued", name: "waiting", color: "var(--open)" }]}
        gaps={view.gaps}
        marks={data?.switches ?? []}
        fromMs={nowMs - spanMs}
        toMs={nowMs}
        heightPx={140}
        zone={clock}
      />
    </Panel>
  );
}

/** A sentence; a blank of its height while nothing is known. */
function waitWords(
  facts: HistoryFacts | undefined,
  { range, zone }: { range: keyof typeof RANGES_MS; zone: Zone | null },
): string {
  if (facts === undefined) return "\u00a0";
  if (facts.peak === null) return "No samples yet.";
  if (facts.peak.peak === 0) return `Nothing waited in the last ${range === "1h" ? "hour" : "24 hours"}.`;
  return `W${peakWords(facts.peak, zone).slice(1)}.`;
}
