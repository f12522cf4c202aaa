/** Held and taken slots of the last hour as the chart shows them: events counted minute by minute. */
import type { ChartRow } from "../../../components/chart/steps";

export const MINUTE_MS = 60_000;

interface AffinityPoint {
  readonly ts_ms: number;
  readonly affinity?: { readonly hold: number; readonly redeem: number } | undefined;
}

export interface HoldMinutes {
  readonly rows: readonly ChartRow[];
  readonly hold: number;
  readonly redeem: number;
}

/** Sums by minute, and over all; a minute without samples is a hole, not a zero. Points ascend. */
export function holdMinutes(points: readonly AffinityPoint[]): HoldMinutes {
  const rows: { ts: number; hold: number | null; redeem: number | null }[] = [];
  const total = { hold: 0, redeem: 0 };
  for (const { ts_ms, affinity } of points) {
    const ts = Math.floor(ts_ms / MINUTE_MS) * MINUTE_MS;
    const { hold = 0, redeem = 0 } = affinity ?? {};
    total.hold += hold;
    total.redeem += redeem;
    const last = rows.at(-1);
    if (last?.ts === ts) {
      last.hold = (last.hold ?? 0) + hold;
      last.redeem = (last.redeem ?? 0) + redeem;
      continue;
    }
    const endOfLast = last === undefined ? ts : last.ts + MINUTE_MS;
    if (endOfLast < ts) rows.push({ ts: endOfLast, hold: null, redeem: null });
    rows.push({ ts, hold, redeem });
  }
  return { rows: rows.map((row) => ({ ...row })), ...total };
}
