/**
 * Counts what session affinity does, in all for metrics and by pool for history: from the engine's decisions, and from
 * the books where slots are shared, which alone know when a held slot came and went there.
 */
import type { HoldChange } from "@obleth/cluster";
import type { Decision, DecisionKind, PoolId } from "@obleth/fairshare";
import type { AffinityCounts } from "../observe/history";
import type { AffinityEvent } from "../observe/metric-labels";

const EVENT_OF: Partial<Record<DecisionKind, AffinityEvent>> = {
  warm: "warm",
  held: "hold",
  redeemed: "redeem",
  hold_expired: "expire",
  hold_released: "release",
  bypassed: "bypass",
};
const EVENT_OF_CHANGE = {
  held: "hold",
  expired: "expire",
  released: "release",
} as const satisfies Record<HoldChange, AffinityEvent>;

export class AffinityTally {
  readonly #byPool = new Map<string, AffinityCounts>();
  readonly #onEvent: (event: AffinityEvent, times: number) => void;

  constructor(onEvent: (event: AffinityEvent, times: number) => void) {
    this.#onEvent = onEvent;
  }

  /** The same object as long as nothing was counted. */
  ofPool(pool: string): AffinityCounts | undefined {
    return this.#byPool.get(pool);
  }

  note(decision: Decision): void {
    const event = EVENT_OF[decision.kind];
    if (event !== undefined) this.#count(decision.owner.pool, event, 1);
  }

  /** Held slots on the shared books. */
  noteHolds(pool: PoolId, change: HoldChange, times: number): void {
    this.#count(pool, EVENT_OF_CHANGE[change], times);
  }

  #count(pool: PoolId, event: AffinityEvent, times: number): void {
    this.#onEvent(event, times);
    if (event !== "hold" && event !== "redeem" && event !== "expire") return;
    const counts = this.#byPool.get(pool) ?? { hold: 0, redeem: 0, expire: 0 };
    this.#byPool.set(pool, { ...counts, [event]: counts[event] + times });
  }
}
