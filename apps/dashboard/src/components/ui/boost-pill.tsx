"use client";

import { Zap } from "lucide-react";
import { formatExact, formatTimeLeft } from "../../lib/format";
import { useNow } from "../../lib/use-now";

interface Boosted {
  readonly factor: number;
  readonly weight: number | null;
  readonly reason: string;
  readonly expires_at: string;
  readonly created_by: string;
}

interface BoostPillProps {
  boost: Boosted | null;
  isShort?: boolean;
  /** The model it holds on, where that is not plain. */
  place?: string | null;
}

/** "x3, 14 min": a tenant's boost, wherever the tenant is named. Short, the time left is told to who points at it. */
export function BoostPill({ boost, isShort = false, place = null }: Readonly<BoostPillProps>) {
  const nowMs = useNow(10_000);
  if (boost === null) return null;
  const left = formatTimeLeft(Date.parse(boost.expires_at) - nowMs);
  const strength = boost.weight === null ? `x${boost.factor}` : formatExact(boost.weight);
  return (
    <span
      data-boost={boost.factor}
      title={`${isShort ? `${left} left. ` : ""}${boost.reason} (${boost.created_by})`}
      className="num inline-flex h-5 shrink-0 items-center gap-1 whitespace-nowrap rounded-full border px-1.5 text-micro text-text-2"
    >
      <Zap className="size-3" aria-hidden="true" />
      <span>
        {boost.weight === null ? null : <span className={isShort ? "sr-only" : undefined}>weight </span>}
        {strength}
        {place === null ? null : <span className="name"> on {place}</span>}
        {nowMs === 0 ? null : <span className={isShort ? "sr-only" : undefined}>, {left}</span>}
      </span>
    </span>
  );
}
