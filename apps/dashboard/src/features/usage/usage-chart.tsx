"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { LazyChart } from "../../components/chart/lazy-chart";
import { OUTCOME_COLORS } from "../../components/chart/outcome-colors";
import { Panel } from "../../components/ui/panel";
import { usePreferences } from "../../lib/preferences";
import { usageSeriesQuery } from "../../queries/usage";

interface UsageChartProps {
  filters: { from: string; tenant_id?: string; model?: string; key_id?: string };
  isReady: boolean;
  rangeMs: number;
  nowMs: number;
}

const BANDS = [
  { key: "fast", name: "at once", color: OUTCOME_COLORS.atOnce },
  { key: "queued", name: "waited", color: OUTCOME_COLORS.waited },
  { key: "timed_out", name: "timed out", color: OUTCOME_COLORS.timedOut },
  { key: "refused", name: "refused", color: OUTCOME_COLORS.refused },
];

/** Requests over time by how they fared. */
export function UsageChart({ filters, isReady, rangeMs, nowMs }: Readonly<UsageChartProps>) {
  const { clock } = usePreferences();
  const { data } = useQuery({ ...usageSeriesQuery({ ...filters, buckets: 60 }), enabled: isReady });
  const rows = useMemo(
    () => filled(data?.points ?? [], data?.bucket_ms ?? 0, { fromMs: nowMs - rangeMs, toMs: nowMs }),
    [data, nowMs, rangeMs],
  );
  return (
    <Panel title="Requests over time">
      <ul className="mb-2 flex flex-wrap gap-4 text-micro text-text-2">
        {BANDS.map((band) => (
          <li key={band.key} className="flex items-center gap-1.5">
            <span className="size-2.5 rounded-[3px]" style={{ background: band.color }} aria-hidden="true" />
            {band.name}
          </li>
        ))}
      </ul>
      <LazyChart
        label="Requests over time by outcome"
        rows={rows}
        stepMs={data?.bucket_ms ?? 0}
        bands={BANDS}
        gaps={[]}
        marks={[]}
        fromMs={nowMs - rangeMs}
        toMs={nowMs}
        heightPx={180}
        zone={clock}
      />
    </Panel>
  );
}

interface SeriesPoint {
  readonly ts_ms: number;
  readonly fast: number;
  readonly queued: number;
  readonly timed_out: number;
  readonly outcomes: { readonly refused: number };
}

/** A bucket without records had no requests: records are facts, not samples, so it is a zero and no gap. */
function filled(
  points: readonly SeriesPoint[],
  bucketMs: number,
  range: { fromMs: number; toMs: number },
): Record<string, number | null>[] {
  if (bucketMs <= 0) return [];
  const known = new Map(points.map((point) => [point.ts_ms, point]));
  const first =
    points[0] === undefined
      ? range.fromMs
      : points[0].ts_ms - Math.floor((points[0].ts_ms - range.fromMs) / bucketMs) * bucketMs;
  const rows: Record<string, number | null>[] = [];
  for (let ts = first; ts <= range.toMs; ts += bucketMs) {
    const point = known.get(ts);
    rows.push({
      ts,
      fast: point?.fast ?? 0,
      queued: point?.queued ?? 0,
      timed_out: point?.timed_out ?? 0,
      refused: point?.outcomes.refused ?? 0,
    });
  }
  return rows;
}
