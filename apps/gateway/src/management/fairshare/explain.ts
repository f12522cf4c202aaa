/** Explanations for the API: the engine says why, one shared function makes the words. */
import type { ExplainAnswer, ExplainQuery, Explanation as ExplanationJson } from "@obleth/contract";
import { findModelName } from "@obleth/db";
import {
  type Explanation,
  explainTenant,
  idlePool,
  type Note,
  poolFacts,
  poolId,
  type TenantId,
  tenantId,
} from "@obleth/fairshare";
import { actionWords, explanationWords, type WordOptions } from "@obleth/fairshare/words";
import type { ManagementDeps } from "../deps";
import { Fault } from "../http/fault";
import { refusedLately } from "./refusals";

export async function explain(deps: ManagementDeps, query: ExplainQuery): Promise<ExplainAnswer> {
  const picture = deps.picture();
  const model = await findModelName(deps.db, query.pool);
  const name = model?.name ?? query.pool;
  const pool =
    picture.engine.pools.find((one) => one.pool === name) ?? (model && idlePool(poolId(model.name), NO_LIMITS));
  if (pool === undefined) throw new Fault("not_found", "There is no model and no pool of that name.");
  const tenants = pool.tenants.filter((tenant) =>
    query.tenant_id === undefined ? tenant.queued > 0 : tenant.tenantId === query.tenant_id,
  );
  if (query.tenant_id !== undefined && tenants.length === 0) tenants.push(idleTenant(tenantId(query.tenant_id)));
  const explanations = await Promise.all(
    tenants.map(async (tenant) => {
      const about = { tenantId: tenant.tenantId, model: pool.pool, nowMs: picture.tsMs };
      // Refusals are only told of a tenant that has nothing waiting.
      const refused = tenant.queued === 0 ? await refusedLately(deps.db, about) : null;
      const context = { ...picture.explainContext(pool.pool), refused };
      const explanation = explainTenant(poolFacts(picture.engine, pool, context), tenant);
      return explanationJson(explanation, picture.tsMs, { timeZone: query.time_zone ?? "UTC" });
    }),
  );
  explanations.sort((a, b) => (a.position ?? Number.MAX_SAFE_INTEGER) - (b.position ?? Number.MAX_SAFE_INTEGER));
  return { ts_ms: picture.tsMs, pool: pool.pool, explanations };
}

/** Of a pool nobody uses: nothing waits there that any limit could explain. */
const NO_LIMITS = { size: 0, configuredSize: 0, admissionWeight: 100 };

type Tenant = Parameters<typeof explainTenant>[1];

/** A tenant that has nothing in the pool: nothing waits, which is an answer too. */
function idleTenant(id: TenantId): Tenant {
  return {
    tenantId: id,
    group: "" as Tenant["group"],
    weight: 1,
    boostFactor: 1,
    effectiveWeight: 1,
    maxInFlight: null,
    inFlight: 0,
    queued: 0,
    held: 0,
    borrowed: 0,
    slotShare: 0,
    servedTokens: 0,
    shareScore: 0,
    weightShare: 0,
    expectedSlots: 0,
    oldestWaitMs: null,
    belowShare: false,
    atCap: false,
    position: null,
    aboveShareMs: null,
  };
}

function explanationJson(explanation: Explanation, tsMs: number, options: WordOptions): ExplanationJson {
  const words = explanationWords(explanation, options);
  return {
    tenant_id: explanation.tenantId,
    name: explanation.tenantName,
    reason: explanation.reason,
    cause: explanation.cause,
    text: words.sentences.join(" "),
    breakdown_text: words.breakdown,
    numbers: flatNumbers(explanation),
    notes: explanation.notes.map((note) => ({
      note: note.note,
      text: explanationWords({ ...explanation, notes: [note] }, options).note ?? "",
      numbers: noteNumbers(note),
    })),
    breakdown: explanation.breakdown.map((part) => ({ ...part })),
    holders: explanation.holders.map((holder) => ({
      tenant_id: holder.tenantId,
      name: holder.tenantName,
      slots_above: holder.slots,
      since_ts_ms: holder.sinceMs === null ? null : Math.max(0, Math.round(tsMs - holder.sinceMs)),
    })),
    position: explanation.position,
    ahead: explanation.ahead,
    finish_gap_ms: explanation.finishGapMs,
    estimated_wait_ms: explanation.estimatedWaitMs,
    actions: explanation.actions.map((action) => ({
      id: action.kind,
      label: actionWords(action),
      method: action.method,
      path: action.route,
      value: action.value,
    })),
  };
}

type Flat = Record<string, number | string | boolean | null>;

function flatNumbers(explanation: Explanation): Flat {
  const n = explanation.numbers;
  const { cappedKey, silentReplica } = explanation;
  return {
    in_use: n.inUse,
    share: n.share,
    queued: n.queued,
    cap: n.cap,
    pool_size: n.poolSize,
    pool_configured_size: n.poolConfiguredSize,
    pool_in_use: n.poolInUse,
    pool_held: n.poolHeld,
    pool_free: n.poolFree,
    ceiling: n.ceiling,
    ceiling_in_use: n.ceilingInUse,
    expected_slots: n.expectedSlots,
    oldest_wait_ms: explanation.oldestWaitMs,
    hold_left_ms: explanation.holdLeftMs,
    lost_claims: explanation.lostClaims,
    ...(cappedKey === null ? {} : { key_id: cappedKey.keyId, key_name: cappedKey.keyName, key_cap: cappedKey.cap }),
    ...(silentReplica === null
      ? {}
      : {
          silent_instance: silentReplica.instance,
          silent_slots: silentReplica.slots,
          silent_left_ms: silentReplica.leftMs,
        }),
  };
}

function noteNumbers(note: Note): Flat {
  const { note: _note, ...numbers } = note;
  return Object.fromEntries(
    Object.entries(numbers).map(([name, value]) => [name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`), value]),
  ) as Flat;
}
