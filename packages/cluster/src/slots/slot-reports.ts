/** What the slots tell their listener: calls, repairs, lost holds, and once each when the store is lost and found. */
import type { Clock } from "@obleth/clock";
import type { SlotCall, SlotsListener } from "./cluster-slots";
import type { HeartbeatAnswer, LostHolds } from "./slot-store";

/** Tells a listener what happened, and that Redis is lost or back only when it changes. */
export class SlotReports {
  readonly #clock: Clock;
  readonly #listener: SlotsListener;
  #isReachable = true;

  constructor(clock: Clock, listener: SlotsListener = {}) {
    this.#clock = clock;
    this.#listener = listener;
  }

  /** False while the store does not answer in time. */
  get isReachable(): boolean {
    return this.#isReachable;
  }

  /** One call is over: what became of it, and when it was sent, by the monotonic clock. */
  call(call: SlotCall, result: string, sentAtMs: number): void {
    this.#listener.onCall?.(call, result, this.#clock.monotonicMs() - sentAtMs);
  }

  /** The store answers in time, or does not. `reason` is for the log. */
  reachable(isReachable: boolean, reason: string): void {
    if (this.#isReachable === isReachable) return;
    this.#isReachable = isReachable;
    this.#listener.onReachable?.(isReachable, reason);
  }

  /** What a heartbeat found. Drift counts only where this replica's books were expected to be right. */
  found(answer: HeartbeatAnswer, isDriftAFault: boolean): void {
    const { reclaimedSlots, ownDrift, totalDrift, wasRegistered } = answer;
    const hasDrifted = isDriftAFault && wasRegistered && (ownDrift !== 0 || totalDrift !== 0);
    if (reclaimedSlots > 0 || hasDrifted) this.#listener.onRepair?.({ reclaimedSlots, ownDrift, totalDrift });
    this.lostHolds(answer.lostHolds);
  }

  /** Holds that some call found run out or freed; whose session they were for makes no difference. */
  lostHolds(lostHolds: readonly LostHolds[]): void {
    for (const { pool, expired, released } of lostHolds) {
      if (expired > 0) this.#listener.onHolds?.(pool, "expired", expired);
      if (released > 0) this.#listener.onHolds?.(pool, "released", released);
    }
  }
}
