/** Builds the scheduler, and what its decisions and faults lead to. */
import { InvariantError } from "@obleth/fairshare";
import { Scheduler } from "../scheduler/scheduler";
import type { SlotClaims } from "../scheduler/slot-claims";
import type { AffinityTally } from "./affinity-counts";
import type { Foundation } from "./foundation";

export function makeScheduler(
  foundation: Foundation,
  { affinity, slots }: { affinity: AffinityTally; slots: SlotClaims },
): Scheduler {
  const { settings, clock, log, readiness } = foundation;
  const scheduler: Scheduler = new Scheduler({
    engine: {
      algorithm: settings.fairshareAlgorithm,
      settle: settings.fairshareSettle,
      maxQueuePerPool: settings.maxQueuePerPool,
      warmMs: settings.affinityWarmSecs * 1000,
      maxJumps: settings.affinityMaxJumps,
      defaultPoolSize: settings.defaultModelMaxInFlight,
      ceiling: settings.globalMaxInFlight,
    },
    clock,
    timeoutMs: settings.admissionTimeoutSecs * 1000,
    slots,
    onDecision: (decision) => affinity.note(decision),
    onFault: (error) => {
      log.error({ err: error }, "scheduler.fault");
      if (!(error instanceof InvariantError)) return;
      // The engine's books cannot be trusted any more: others take the traffic, people get the evidence.
      readiness.set("healthy", false);
      log.error({ snapshot: scheduler.snapshot() }, "scheduler.broken");
    },
  });
  return scheduler;
}
