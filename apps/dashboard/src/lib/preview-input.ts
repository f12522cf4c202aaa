/** The live state as the engine's preview takes it, so that the page and the scheduler split slots with one function. */
import type { PreviewChange, PreviewInput } from "@obleth/fairshare/preview";
import type { Live, LivePool } from "../queries/wire";

type Engine = PreviewInput["engine"];
type EnginePool = Engine["pools"][number];

export interface PreviewQuestion {
  readonly changes: readonly PreviewChange[];
  /** Only this pool; left out: every pool the changes touch. */
  readonly pool?: string;
  readonly directory?: NonNullable<PreviewInput["directory"]>;
  readonly assume?: "active" | "all";
}

/** What `previewChanges` needs to answer the question on this live state. */
export function previewInput(live: Live, question: PreviewQuestion): PreviewInput {
  const splitOver = live.mode === "fallback" || live.mode === "split" ? live.replicas : 1;
  return { engine: engineState(live), splitOver, ...question };
}

function engineState(live: Live): Engine {
  return {
    algorithm: live.algorithm,
    ceiling: live.hard_ceiling,
    configuredCeiling: live.configured_hard_ceiling,
    isCeilingReached: live.ceiling_reached,
    inFlight: live.in_flight,
    queued: live.queued,
    held: live.held,
    borrowed: live.borrowed,
    pools: live.pools.map(enginePool),
  };
}

function enginePool(pool: LivePool): EnginePool {
  return {
    ...usage(pool),
    pool: brand(pool.model),
    size: pool.cap,
    configuredSize: pool.configured_cap,
    usable: pool.usable,
    admissionWeight: pool.admission_weight,
    oldestWaitMs: pool.oldest_wait_ms,
    virtualTime: pool.virtual_time,
    holdLeftMs: null,
    finishes5m: pool.finishes_5m,
    groups: pool.groups.map((group) => ({
      ...usage(group),
      name: brand(group.name),
      weight: group.weight,
      slotCap: group.slot_cap,
      ...standing(group),
    })),
    tenants: (pool.tenants ?? []).map((tenant) => ({
      ...usage(tenant),
      tenantId: brand(tenant.tenant_id),
      group: brand(tenant.group),
      weight: tenant.weight,
      boostFactor: tenant.boost?.factor ?? 1,
      effectiveWeight: tenant.effective_weight,
      maxInFlight: tenant.max_in_flight,
      slotShare: tenant.slot_share,
      ...standing(tenant),
      oldestWaitMs: tenant.oldest_wait_ms,
      belowShare: tenant.below_share,
      atCap: tenant.at_cap,
      position: tenant.position,
      aboveShareMs: tenant.above_share_ms,
    })),
    keys: (pool.keys ?? []).map((key) => ({
      inFlight: key.in_flight,
      queued: key.queued,
      held: key.held,
      keyId: brand(key.key_id),
      tenantId: brand(key.tenant_id),
      weight: key.weight,
      maxInFlight: key.max_in_flight,
      ...standing(key),
      oldestWaitMs: key.oldest_wait_ms,
      atCap: key.at_cap,
      // Live state does not tell it, and a preview does not ask.
      jumps: 0,
    })),
  };
}

interface WireUsage {
  readonly in_flight: number;
  readonly queued: number;
  readonly held: number;
  readonly borrowed: number;
}

function usage(wire: WireUsage) {
  return { inFlight: wire.in_flight, queued: wire.queued, held: wire.held, borrowed: wire.borrowed };
}

interface WireStanding {
  readonly served_tokens: number;
  readonly share_score: number;
  readonly weight_share: number;
  readonly expected_slots: number;
}

function standing(wire: WireStanding) {
  return {
    servedTokens: wire.served_tokens,
    shareScore: wire.share_score,
    weightShare: wire.weight_share,
    expectedSlots: wire.expected_slots,
  };
}

/** The engine's ids are plain strings marked by kind; the wire's are checked by the contract. */
function brand<Id extends string>(id: string): Id {
  return id as Id;
}
