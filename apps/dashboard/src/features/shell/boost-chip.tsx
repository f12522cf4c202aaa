"use client";

import { useQuery } from "@tanstack/react-query";
import { Zap } from "lucide-react";
import Link from "next/link";
import { formatTimeLeft } from "../../lib/format";
import { boostsQuery } from "../../queries/boosts";
import { CHIP, CHIP_BUTTON } from "./chip";

/** How many tenants are boosted and when the next boost ends. */
export function BoostChip({ serverNowMs }: Readonly<{ serverNowMs: number }>) {
  const { data, error } = useQuery(boostsQuery("active"));
  const ends = (data?.items ?? []).map((boost) => Date.parse(boost.expires_at)).filter((end) => end > serverNowMs);
  // None is a fact, which nobody may read while it is not known.
  if (data === undefined) return <span className={CHIP}>{error ? "Boosts not read" : null}</span>;
  if (ends.length === 0) return <span className={CHIP}>No boosts</span>;
  return (
    <Link href="/boosts" className={CHIP_BUTTON} data-boosts={ends.length}>
      <Zap className="size-3.5" aria-hidden="true" />
      <span>
        Boosts {ends.length}
        {serverNowMs === 0 ? null : (
          <span className="sr-only sm:not-sr-only">
            , next ends in {formatTimeLeft(Math.min(...ends) - serverNowMs)}
          </span>
        )}
      </span>
    </Link>
  );
}
