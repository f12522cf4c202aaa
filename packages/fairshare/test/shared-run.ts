import type { Claim, Effect, Hold } from "../src/effects";
import type { ClaimOutcome } from "../src/events";
import { poolId, waiterId } from "../src/ids";
import type { EngineConfig } from "../src/state";
import { type Ask, EngineRun } from "./engine-run";

/** An engine in shared mode whose claims a test answers by hand. */
export class SharedRun extends EngineRun {
  readonly claims: Claim[] = [];
  readonly released: number[] = [];
  readonly holds: Hold[] = [];

  constructor(config: Partial<EngineConfig> = {}) {
    super(config);
    this.limits("shared");
  }

  override send(event: Parameters<EngineRun["send"]>[0]): Effect[] {
    const effects = super.send(event);
    for (const effect of effects) {
      if (effect.kind === "claim") this.claims.push(effect);
      if (effect.kind === "release") this.released.push(effect.waiterId);
      if (effect.kind === "hold") this.holds.push(effect);
    }
    return effects;
  }

  limits(slots: "local" | "shared", over: { ceiling?: number; divisor?: number } = {}): void {
    const ceiling = over.ceiling ?? 4096;
    this.send({
      kind: "limits_changed",
      ceiling,
      slots,
      divisor: over.divisor ?? 1,
    });
  }

  /** Answers the oldest open claim. */
  answer(outcome: ClaimOutcome, sinceLastFinishMs: number | null = null): Effect[] {
    const claim = this.claims.shift();
    if (claim === undefined) throw new Error("no claim is open");
    return this.settle(claim.waiterId, outcome, sinceLastFinishMs);
  }

  settle(id: number, outcome: ClaimOutcome, sinceLastFinishMs: number | null = null): Effect[] {
    return this.send({ kind: "claim_settled", waiterId: waiterId(id), outcome, sinceLastFinishMs });
  }

  retry(pool: string | null = null): Effect[] {
    return this.send({ kind: "retry", pool: pool === null ? null : poolId(pool) });
  }

  /** Sends a request and has its claim granted. */
  admit(ask: Ask = {}): number {
    const id = this.ask(ask);
    this.answer("granted");
    return id;
  }
}
