import { formatExact, slotCount } from "../../lib/format";
import { inUse, type PoolBand, type PoolLoad, poolBand } from "../../lib/pool-state";
import { UseBar } from "./use-bar";

interface PoolBarProps {
  pool: Omit<PoolLoad, "model" | "oldest_wait_ms"> & { readonly borrowed: number };
  className?: string;
}

/** A pool's slots in the colour of its state, the same on every page. */
export function PoolBar({ pool, className }: Readonly<PoolBarProps>) {
  return (
    <UseBar
      inFlight={pool.in_flight}
      held={pool.held}
      borrowed={pool.borrowed}
      size={pool.cap}
      color={COLORS[poolBand(pool)]}
      label={`${formatExact(inUse(pool))} of ${slotCount(pool.cap)} in use, ${pool.borrowed} borrowed, ${pool.held} held`}
      {...(className === undefined ? {} : { className })}
    />
  );
}

const COLORS: Record<PoolBand, string> = {
  full_waiting: "var(--urgent)",
  full: "var(--neutral)",
  busy: "var(--watch)",
  open: "var(--open)",
  idle: "var(--open)",
  no_servers: "var(--neutral)",
};
