import type { ModeState } from "../membership/mode";
import type { ClaimRequest, ClusterSlots, SettleClaim } from "./cluster-slots";

/** Slots of a replica that shares with nobody. It is always `local`, so nothing here is called; a claim would be refused. */
export class AloneSlots implements ClusterSlots {
  readonly state: ModeState = { mode: "local", replicas: 1, divisor: 1 };
  readonly stalls = 0;

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
