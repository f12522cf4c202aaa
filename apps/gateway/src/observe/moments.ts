/** Takes moments for the state pages: this replica's own picture, or the fleet's where other replicas' views are read. */
import type { Clock } from "@obleth/clock";
import type { EngineSnapshot } from "@obleth/fairshare";
import type { FleetFacts, Moment } from "./moment";

export interface MomentSources {
  readonly clock: Clock;
  readonly snapshot: () => EngineSnapshot;
  readonly fleet: () => FleetFacts;
}

/** This replica speaking for itself. */
export function ownMoment({ clock, snapshot, fleet }: MomentSources, scopeReason: string | null): Moment {
  const own = snapshot();
  return {
    tsMs: clock.wallMs(),
    engine: own,
    own,
    scope: "replica",
    scopeReason,
    replicasReporting: 1,
    stateAgeMs: 0,
    uncut: new Map(),
    fleet: fleet(),
  };
}
