"use client";

import { useMemo } from "react";
import { LazyChart } from "../../components/chart/lazy-chart";
import { Panel } from "../../components/ui/panel";
import { historyView } from "../../lib/history-series";
import { usePreferences } from "../../lib/preferences";
import { useNow } from "../../lib/use-now";
import { useHistory } from "../../queries/use-history";
import { useLiveSummary } from "../../queries/use-live";
import { holdSentence } from "./logic/affinity-draft";
import { holdMinutes, MINUTE_MS } from "./logic/hold-minutes";

const HOUR_MS = 3_600_000;
const INTERVAL_MS = 10_000;

/** Slots held for sessions against those that were taken, over the last hour. */
export function HoldChart({ model }: Readonly<{ model: string }>) {
  const { clock } = usePreferences();
  const { data } = useHistory(model, INTERVAL_MS);
  const nowMs = useNow(INTERVAL_MS);
  const { rows, gaps, hold, redeem } = useMemo(() => {
    const points = data?.shown == null ? [] : (data.series.get(data.shown)?.points ?? []);
    const recent = points.filter((point) => point.ts_ms >= nowMs - HOUR_MS);
    const view = data ? historyView(data, { fromMs: nowMs - HOUR_MS, toMs: nowMs }) : { gaps: [] };
    return { gaps: view.gaps, ...holdMinutes(recent) };
  }, [data, nowMs]);
  const gateways = useLiveSummary()?.live.replicas ?? 1;
  return (
    <Panel title="Held against taken, last hour">
      <p className="num mb-2 text-small text-text-2" data-testid="hold-verdict">
        {holdSentence({ hold, redeem, gateways })}
      </p>
      {hold + redeem === 0 ? null : (
        <>
          <ul className="mb-1 flex gap-4 text-micro text-text-2">
            <li className="flex items-center gap-1.5">
              <span className="h-0.5 w-3 bg-(--group-2)" aria-hidden="true" /> held a minute
            </li>
            <li className="flex items-center gap-1.5">
              <span className="h-0.5 w-3 bg-(--group-1)" aria-hidden="true" /> taken a minute
            </li>
          </ul>
          <LazyChart
            label="Held and taken slots per minute"
            rows={rows}
            stepMs={MINUTE_MS}
            bands={[]}
            lines={[
              { key: "hold", name: "held", color: "var(--group-2)" },
              { key: "redeem", name: "taken", color: "var(--group-1)" },
            ]}
            gaps={gaps}
            marks={[]}
            fromMs={nowMs - HOUR_MS}
            toMs={nowMs}
            heightPx={150}
            zone={clock}
          />
        </>
      )}
    </Panel>
  );
}
