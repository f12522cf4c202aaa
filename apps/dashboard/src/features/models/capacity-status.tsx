"use client";

import { formatAgo, formatExact } from "../../lib/format";
import { useNow } from "../../lib/use-now";
import type { LivePool, Model } from "../../queries/wire";
import { sizeSource } from "./logic/capacity-words";

/** What is in force now and how it came about. */
export function CapacityStatus({ model, pool }: Readonly<{ model: Model; pool: LivePool | undefined }>) {
  const nowMs = useNow(10_000);
  const { capacity } = model;
  const inForce = pool?.cap ?? capacity.size;
  return (
    <div className="rounded-control bg-subtle px-3 py-2.5">
      <p className="num text-small">
        <span className="text-display" data-field="cap" data-value={inForce}>
          {formatExact(inForce)}
        </span>{" "}
        {inForce === 1 ? "slot" : "slots"} in force
        {pool && pool.cap !== pool.configured_cap ? (
          <span className="text-text-2">, {formatExact(pool.configured_cap)} asked for</span>
        ) : null}
      </p>
      <p className="num mt-0.5 text-small text-text-2">
        {sizeSource(model)}
        {capacity.read_ts_ms === null ? "" : ` Read ${formatAgo(nowMs - capacity.read_ts_ms)}.`}
      </p>
      {capacity.state === "stale" || capacity.state === "fallback" ? (
        <p className="mt-0.5 text-small">
          {capacity.state === "stale" ? "The last size is kept" : "The static size is used"}:{" "}
          {capacity.reason ?? "the source cannot be read"}.
        </p>
      ) : null}
    </div>
  );
}
