/** Counts what session affinity does, in all for metrics and by pool for history, from the engine's decisions. */
import type { Decision, DecisionKind } from "@obleth/fairshare";
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

export class AffinityTally {
  readonly #byPool = new Map<string, AffinityCounts>();
  readonly #onEvent: (event: AffinityEvent) => void;

  constructor(onEvent: (event: AffinityEvent) => void) {
    this.#onEvent = onEvent;
  }

  /** The same object as long as nothing was counted. */
  ofPool(pool: string): AffinityCounts | undefined {
    return this.#byPool.get(pool);
  }

  note(decision: Decision): void {
    const event = EVENT_OF[decision.kind];
    if (event === undefined) return;
    this.#onEvent(event);
    if (event !== "hold" && event !== "redeem" && event !== "expire") return;
    const { pool } = decision.owner;
    const counts = this.#byPool.get(pool) ?? { hold: 0, redeem: 0, expire: 0 };
    this.#byPool.set(pool, { ...counts, [event]: counts[event] + 1 });
  }
}
