"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { OUTCOME_COLORS } from "../../components/chart/outcome-colors";
import { formatCount, formatWait, plural } from "../../lib/format";
import { useNow } from "../../lib/use-now";
import { usageSeriesQuery } from "../../queries/usage";
import { type TrendBar, trendBars } from "./logic/trend-bars";

const SPAN_MS = 30 * 60_000;
const STEP_MS = 60_000;
const HEIGHT_PX = 32;

/** A tenant's requests here in the last half hour: how many, and how many of them waited. */
export function TenantTrend({ tenantId, model }: Readonly<{ tenantId: string; model: string }>) {
  const nowMs = useNow(STEP_MS);
  const query = useMemo(
    () => ({ from: new Date(nowMs - SPAN_MS).toISOString(), tenant_id: tenantId, model, buckets: 30 }),
    [nowMs, tenantId, model],
  );
  const { data, error } = useQuery({ ...usageSeriesQuery(query), enabled: nowMs > 0 });
  const bars = useMemo(
    () => trendBars(data?.points ?? [], { bucketMs: data?.bucket_ms ?? 0, fromMs: nowMs - SPAN_MS, toMs: nowMs }),
    [data, nowMs],
  );
  const requests = bars.reduce((sum, bar) => sum + bar.requests, 0);
  const waited = bars.reduce((sum, bar) => sum + bar.waited, 0);
  const worstMs = Math.max(0, ...(data?.points ?? []).map((point) => point.max_wait_ms ?? 0));
  const words =
    requests === 0
      ? "No request here in the last 30 minutes."
      : `${plural(requests, "request")} here in the last 30 minutes, ${formatCount(waited)} waited${waited === 0 ? "" : `, ${formatWait(worstMs)} at worst`}.`;
  return (
    <section aria-label="Last 30 minutes" className="min-h-24 border-t pt-4">
      <p className="num text-micro text-text-2">{data ? words : error ? "Its requests cannot be read." : null}</p>
      {requests === 0 ? null : (
        <>
          <p className="mt-1 flex gap-3 text-micro text-text-3">
            <Mark color={OUTCOME_COLORS.atOnce} word="at once" />
            <Mark color={OUTCOME_COLORS.waited} word="waited" />
          </p>
          <Bars bars={bars} label={words} />
        </>
      )}
    </section>
  );
}

function Mark({ color, word }: Readonly<{ color: string; word: string }>) {
  return (
    <span className="flex items-center gap-1.5">
      <span className="size-2.5 shrink-0 rounded-[3px]" style={{ background: color }} aria-hidden="true" />
      {word}
    </span>
  );
}

function Bars({ bars, label }: Readonly<{ bars: readonly TrendBar[]; label: string }>) {
  const most = Math.max(1, ...bars.map((bar) => bar.requests));
  const heightOf = (count: number) => (count / most) * HEIGHT_PX;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${bars.length} ${HEIGHT_PX}`}
      preserveAspectRatio="none"
      className="mt-2 block h-8 w-full"
    >
      {bars.map((bar, place) => (
        <g key={bar.tsMs}>
          <rect
            x={place + 0.08}
            width="0.84"
            y={HEIGHT_PX - heightOf(bar.requests)}
            height={heightOf(bar.requests)}
            fill={OUTCOME_COLORS.atOnce}
          />
          <rect
            x={place + 0.08}
            width="0.84"
            y={HEIGHT_PX - heightOf(bar.waited)}
            height={heightOf(bar.waited)}
            fill={OUTCOME_COLORS.waited}
          />
        </g>
      ))}
    </svg>
  );
}
