import type { ModeState } from "../membership/mode";
import type { ClaimRequest, ClusterSlots, SettleClaim } from "./cluster-slots";

/** Slots of a replica that shares with nobody: always `local`, so nothing here is called. A claim would be refused. */
export class AloneSlots implements ClusterSlots {
  readonly state: ModeState = { mode: "local", replicas: 1, divisor: 1 };
  readonly stalls = 0;

  /** Refuses in a later turn, as an answer must never come before the call returns. */
  claim(_request: ClaimRequest, settle: SettleClaim): void {
    setImmediate(() => settle("unavailable", null));
  }

  release(): void {}

  hold(): void {}

  dropHolds(): void {}

  lostClaims(): number {
    return 0;
  }
}
