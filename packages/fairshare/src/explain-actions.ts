/**
 * What a person can do about a wait, for each reason, with the management route that does it and the smallest value
 * that changes the outcome. Only suggests: whoever presses the button decides.
 */
import type { Action, ActionKind, CappedKey, Holder, PoolFacts, WaitCause } from "./explain-data";
import type { TenantSnapshot, WaitReason } from "./snapshot";

/** What an action may depend on. */
interface ActionInput {
  readonly facts: PoolFacts;
  readonly tenant: TenantSnapshot;
  readonly reason: WaitReason;
  readonly cause: WaitCause | null;
  readonly cappedKey: CappedKey | null;
  readonly holders: readonly Holder[];
}

/** The actions for a reason, most useful first; none where waiting its turn is all there is to do. */
export function actionsFor(input: ActionInput): Action[] {
  const { facts, tenant, cause, cappedKey } = input;
  const name = facts.context.tenantName(tenant.tenantId);
  const tenantRoute = `/tenants/${encodeURIComponent(tenant.tenantId)}`;
  const { model, modelRoute } = modelOf(facts);
  switch (input.reason) {
    case "not_waiting":
      if (cause !== "refused") return [];
      return [
        action("open_budgets", { route: tenantRoute, target: name }),
        action("open_usage", { route: `/usage/summary?tenant=${encodeURIComponent(tenant.tenantId)}`, target: name }),
      ];
    case "no_servers":
      return [
        action("open_endpoints", { route: `${modelRoute}/endpoints`, target: model }),
        outside("scale_backend", model),
      ];
    case "tenant_cap":
      return capActions({ input, name, tenantRoute, model });
    case "key_cap": {
      if (cappedKey === null) return [];
      const route = `/keys/${encodeURIComponent(cappedKey.keyId)}`;
      return [action("raise_key_cap", { method: "PATCH", route, target: cappedKey.keyName, value: cappedKey.cap + 1 })];
    }
    case "global_ceiling": {
      // Below the sum of all pools the ceiling would bind again as soon as they fill.
      const value = Math.max(sumOfPools(facts), facts.engine.configuredCeiling + 1);
      return [action("raise_ceiling", { method: "PUT", route: "/capacity", target: model, value })];
    }
    case "fallback_split":
      return [action("open_cluster", { route: "/cluster", target: model })];
    case "other_replica":
      return [otherReplica({ input, name, model })];
    case "held_slots": {
      const route = `${modelRoute}/session-affinity`;
      return [
        action("shorten_hold", { method: "PUT", route, target: model }),
        action("lower_held_percent", { method: "PUT", route, target: model }),
      ];
    }
    case "below_share":
      return belowShareActions({ input, name, model });
    case "next_in_line":
      return [];
    case "pool_full":
      return poolFullActions({ input, name, tenantRoute, model, modelRoute });
  }
}

/**
 * Raising the cap that holds the tenant back: for this model, and for all where the cap in force is the general one.
 */
function capActions(given: { input: ActionInput; name: string; tenantRoute: string; model: string }): Action[] {
  const { input, name, tenantRoute, model } = given;
  const value = (input.facts.context.configuredCap(input.tenant.tenantId) ?? input.tenant.maxInFlight ?? 0) + 1;
  const here = action("change_model_cap", {
    method: "PUT",
    route: `${tenantRoute}/model-caps/${encodeURIComponent(model)}`,
    target: name,
    value,
  });
  const everywhere = action("change_tenant_cap", { method: "PATCH", route: tenantRoute, target: name, value });
  return input.facts.context.capSource(input.tenant.tenantId) === "model" ? [here] : [here, everywhere];
}

/** A lost race only deserves a look at the traffic once it has gone on for ten seconds. */
const LOST_CLAIMS_PATIENCE_MS = 10_000;

/** Where to look when another replica has the slots. */
function otherReplica(given: { input: ActionInput; name: string; model: string }): Action {
  const { input, name } = given;
  const isLongRace = input.cause === "lost_claim" && (input.tenant.oldestWaitMs ?? 0) >= LOST_CLAIMS_PATIENCE_MS;
  return action(isLongRace ? "see_traffic" : "open_cluster", { route: "/cluster", target: name });
}

/** Seeing who holds the slots, boosting the tenant, and capping whoever holds most: at its share, not below it. */
function belowShareActions(given: { input: ActionInput; name: string; model: string }): Action[] {
  const { input, name, model } = given;
  const pool = encodeURIComponent(model);
  const actions = [
    action("see_holders", { route: `/fairshare/live?pool=${pool}`, target: model }),
    action("boost_tenant", { method: "POST", route: "/boosts", target: name }),
  ];
  const [biggest] = input.holders;
  if (biggest === undefined) return actions;
  const holder = input.facts.above.find((tenant) => tenant.tenantId === biggest.tenantId);
  actions.push(
    action("cap_holder", {
      method: "PUT",
      route: `/tenants/${encodeURIComponent(biggest.tenantId)}/model-caps/${pool}`,
      target: biggest.tenantName,
      value: Math.max(1, holder?.slotShare ?? 1),
    }),
  );
  return actions;
}

/** A larger pool, more servers, or a larger part of it for the tenant. */
function poolFullActions(given: {
  input: ActionInput;
  name: string;
  tenantRoute: string;
  model: string;
  modelRoute: string;
}): Action[] {
  const { input, name, tenantRoute, model, modelRoute } = given;
  const grow = action("grow_pool", {
    method: "PUT",
    route: `${modelRoute}/capacity`,
    target: model,
    value: Math.max(input.facts.pool.configuredSize, input.facts.inUse) + 1,
  });
  if (input.cause === "at_share") {
    return [action("raise_weight", { method: "PATCH", route: `${tenantRoute}/weight`, target: name }), grow];
  }
  return [grow, action("add_servers", { method: "POST", route: `${modelRoute}/endpoints`, target: model })];
}

/** The pool's model, and its path in the management API. */
function modelOf(facts: PoolFacts): { model: string; modelRoute: string } {
  const model: string = facts.pool.pool;
  return { model, modelRoute: `/models/${encodeURIComponent(model)}` };
}

/** The sizes of all pools together: what the ceiling would have to be not to bind. */
function sumOfPools(facts: PoolFacts): number {
  return facts.engine.pools.reduce((sum, pool) => sum + pool.configuredSize, 0);
}

/** An action the product offers. */
function action(
  kind: ActionKind,
  given: { method?: NonNullable<Action["method"]>; route: string; target: string; value?: number },
): Action {
  const { method = "GET", route, target, value = null } = given;
  return { kind, method, route, target, value };
}

/** Something to be done outside the product. */
function outside(kind: ActionKind, target: string): Action {
  return { kind, method: null, route: null, target, value: null };
}
