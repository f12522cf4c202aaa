/** How a pool's size came about, and what speaks against another one. */
import { splitLimit } from "@obleth/fairshare/shares";
import { formatExact, plural, slotCount } from "../../../lib/format";

interface SizedModel {
  readonly capacity_mode: "static" | "tuned" | "discovered";
  readonly per_replica_max_in_flight: number | null;
  readonly capacity_headroom: number;
  readonly capacity: { readonly size: number; readonly state: string; readonly ready_replicas: number | null };
}

/** Where the size comes from; of a discovered one the numbers that make it. */
export function sizeSource({ capacity, ...model }: SizedModel): string {
  if (model.capacity_mode !== "discovered")
    return capacity.state === "default" ? "The gateway's default." : "Set by hand.";
  const ready = capacity.ready_replicas;
  const each = model.per_replica_max_in_flight;
  if (ready === null || each === null) return "From each endpoint's own cap.";
  const headroom = model.capacity_headroom === 1 ? "" : ` x ${model.capacity_headroom}`;
  return `${ready} ready x ${each} each${headroom} = ${formatExact(capacity.size)}.`;
}

interface BusyPool {
  readonly model: string;
  readonly in_flight: number;
  readonly held: number;
  readonly finishes_5m: number;
}

/** What is asked before a pool gets fewer slots than are in use; null where nothing needs asking. */
export function sizeAlert(size: number | null, pool: BusyPool | undefined) {
  if (size === null || pool === undefined) return null;
  const inUse = pool.in_flight + pool.held;
  if (size >= inUse) return null;
  const first = plural(inUse - size + 1, "of them has", "of them have");
  return {
    title: `Give ${pool.model} ${slotCount(size)}?`,
    text:
      `It uses ${slotCount(inUse)} now. Nothing that runs is cut off, and nothing starts until ${first} ` +
      `finished. In the last 5 minutes ${plural(pool.finishes_5m, "request")} finished here.`,
  };
}

interface WantedSize {
  readonly size: number;
  readonly currentSize: number;
  readonly replicas: number;
  /** Null until it is known. */
  readonly capacity: { readonly sum_of_pools: number; readonly effective_global_max_in_flight: number } | null;
}

/** What the preview does not say; that more runs than would be allowed, it does. */
export function sizeWarnings({ size, currentSize, replicas, capacity }: WantedSize): string[] {
  const warnings: string[] = [];
  const ceiling = capacity?.effective_global_max_in_flight ?? Number.POSITIVE_INFINITY;
  const sum = (capacity?.sum_of_pools ?? 0) - currentSize + size;
  if (sum > ceiling) {
    warnings.push(`All pools together would have ${slotCount(sum)}, over the ceiling of ${formatExact(ceiling)}.`);
  }
  if (replicas > 1) {
    warnings.push(`Without Redis each of ${replicas} gateways would hold ${formatExact(splitLimit(size, replicas))}.`);
  }
  return warnings;
}
