"use client";

import { useMemo } from "react";
import { LazyChart } from "../../components/chart/lazy-chart";
import { Panel } from "../../components/ui/panel";
import { formatExact, formatPercent } from "../../lib/format";
import { historyView } from "../../lib/history-series";
import { usePreferences } from "../../lib/preferences";
import { useNow } from "../../lib/use-now";
import { useHistory } from "../../queries/use-history";
import { holdVerdict } from "./logic/affinity-draft";

const HOUR_MS = 3_600_000;
const INTERVAL_MS = 10_000;
const BUCKET_MS = 60_000;

/** Slots held for sessions against those that were taken, over the last hour. */
export function HoldChart({ model }: Readonly<{ model: string }>) {
  const { clock } = usePreferences();
  const { data } = useHistory(model, INTERVAL_MS);
  const nowMs = useNow(INTERVAL_MS);
  const { rows, gaps, hold, redeem } = useMemo(() => {
    const points = data?.shown == null ? [] : (data.series.get(data.shown)?.points ?? []);
    const recent = points.filter((point) => point.ts_ms >= nowMs - HOUR_MS);
    const view = data ? historyView(data, { fromMs: nowMs - HOUR_MS, toMs: nowMs }) : { gaps: [] };
    const sum = (of: "hold" | "redeem") => recent.reduce((total, point) => total + (point.affinity?.[of] ?? 0), 0);
    return { rows: perMinute(recent), gaps: view.gaps, hold: sum("hold"), redeem: sum("redeem") };
  }, [data, nowMs]);
  const verdict = holdVerdict(hold, redeem);
  return (
    <Panel title="Held against taken, last hour">
      <p className="num mb-2 text-small text-text-2" data-testid="hold-verdict">
        {verdict === null
          ? "No slot was held for a session in the last hour."
          : `${formatExact(redeem)} of ${formatExact(hold)} held slots were taken (${formatPercent(redeem / hold)}). ${verdict}`}
      </p>
      {verdict === null ? null : (
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

interface AffinityPoint {
  readonly ts_ms: number;
  readonly affinity?: { readonly hold: number; readonly redeem: number } | undefined;
}

/** Events are counts, so a minute's are summed. */
function perMinute(points: readonly AffinityPoint[]): Record<string, number | null>[] {
  const minutes = new Map<number, { hold: number; redeem: number }>();
  for (const point of points) {
    const minute = Math.floor(point.ts_ms / BUCKET_MS) * BUCKET_MS;
    const sum = minutes.get(minute) ?? { hold: 0, redeem: 0 };
    minutes.set(minute, {
      hold: sum.hold + (point.affinity?.hold ?? 0),
      redeem: sum.redeem + (point.affinity?.redeem ?? 0),
    });
  }
  return [...minutes].map(([ts, sum]) => ({ ts, ...sum }));
}
