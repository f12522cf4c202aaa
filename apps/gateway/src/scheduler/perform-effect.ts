import type { ClaimOutcome, Effect, Grant, Refusal, Refuse } from "@obleth/fairshare";
import type { AdmissionOutcome } from "./admission-outcome";
import { type SlotOwner, SlotPermit } from "./permit";
import type { SlotClaims } from "./slot-claims";
import { WaitingRequest } from "./waiting-request";

/** What the effects of a step act on. */
export interface EffectTarget extends SlotOwner {
  readonly slots: SlotClaims;
  claimSettled(waiterId: Grant["waiterId"], outcome: ClaimOutcome, sinceLastFinishMs: number | null): void;
  wakeAt(atMs: number): void;
  /** A caller's callback threw. */
  failed(error: unknown): void;
}

/** Turns one effect into its action. Never throws. */
export function performEffect(effect: Effect, target: EffectTarget): void {
  switch (effect.kind) {
    case "grant":
      grant(effect, target);
      break;
    case "refuse":
      settle(effect.tag, refusalOf(effect), target);
      break;
    case "claim":
      target.slots.claim(effect, (outcome, sinceLastFinishMs) =>
        target.claimSettled(effect.waiterId, outcome, sinceLastFinishMs),
      );
      break;
    case "release":
      target.slots.release(effect);
      break;
    case "hold":
      target.slots.hold(effect);
      break;
    case "drop_holds":
      target.slots.dropHolds(effect.pool);
      break;
    case "wake_at":
      target.wakeAt(effect.atMs);
      break;
    default:
      effect satisfies never;
  }
}

/** A grant for somebody who has left meanwhile goes back at once. */
function grant(effect: Grant, target: EffectTarget): void {
  const request = effect.tag;
  if (!(request instanceof WaitingRequest) || request.isSettled) {
    target.finish(effect.waiterId, null);
    return;
  }
  const permit = new SlotPermit(target, effect.waiterId);
  const outcome: AdmissionOutcome =
    effect.outcome === "fast"
      ? { kind: "admitted-fast", permit, waitMs: 0 }
      : { kind: "admitted-queued", permit, waitMs: effect.waitMs };
  if (!settle(request, outcome, target)) permit.release();
}

/** Whether the caller took the outcome without throwing. */
function settle(request: unknown, outcome: AdmissionOutcome, target: EffectTarget): boolean {
  try {
    if (request instanceof WaitingRequest) request.settle(outcome);
    return true;
  } catch (error) {
    target.failed(error);
    return false;
  }
}

const REFUSAL_OUTCOMES = {
  timed_out: (waitMs: number) => ({ kind: "timed-out", waitMs }),
  queue_full: () => ({ kind: "queue-full", waitMs: 0 }),
  no_servers: () => ({ kind: "no-servers", waitMs: 0 }),
} as const satisfies Record<Refusal, (waitMs: number) => AdmissionOutcome>;

function refusalOf(effect: Refuse): AdmissionOutcome {
  return REFUSAL_OUTCOMES[effect.reason](effect.waitMs);
}
