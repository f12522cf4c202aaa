/** Answers what the management API asks of the running gateway. */
import type { Settings } from "@obleth/config";
import type { BudgetState, Cluster, EndpointCheck, EndpointHealth } from "@obleth/contract";
import { askProvider } from "../capacity/ask-provider";
import type { BudgetAccount, ManagementDeps, ManagementSettings } from "../management/deps";
import { clusterSettings, OTHER_SETTINGS_FIELD } from "../observe/cluster-settings";
import type { EndpointRecord } from "../policy-cache/records";
import { termOf } from "../proxy/stages/budget-terms";
import type { Capacity } from "./capacity";
import type { Fleet } from "./fleet";
import type { Foundation } from "./foundation";
import type { Observation } from "./observation";
import type { Policies } from "./policies";

export interface ManagementParts {
  readonly foundation: Foundation;
  readonly policies: Policies;
  readonly observation: Observation;
  readonly fleet: Fleet;
  readonly capacity: Capacity;
  readonly cluster: () => Promise<Cluster>;
  readonly isEndpointHealthy: (endpointId: string) => boolean;
}

/** How long a sign-in lasts: a working day and the night after. */
const SESSION_TTL_MS = 24 * 3_600_000;
/** An import of a few thousand models and tenants. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

export function managementDeps(parts: ManagementParts): ManagementDeps {
  const { foundation, policies, observation } = parts;
  const { settings, clock, instance, readiness } = foundation;
  const rules = { blockPrivateNetworks: settings.blockPrivateNetworks };
  return {
    db: foundation.database.handle.db,
    settings: managementSettings(settings, foundation.secrets.adminToken),
    clock,
    log: foundation.log,
    sealer: foundation.sealer,
    hashSecret: foundation.hashSecret,
    build: foundation.build,
    isDraining: () => readiness.conditions().not_draining === false,
    live: (query) => observation.live.answer(query),
    history: (query) => observation.history.answer(query),
    picture: () => {
      const moment = parts.fleet.moment();
      return {
        tsMs: moment.tsMs,
        configVersion: policies.configVersion(),
        engine: moment.engine,
        explainContext: (pool) => observation.explainContext(moment, pool),
      };
    },
    cluster: parts.cluster,
    clusterSettings: async () => {
      const { views } = parts.fleet.cluster.views;
      const others = views.map(({ view }) => ({ instance: view.instance, settings: view.about[OTHER_SETTINGS_FIELD] }));
      return clusterSettings(settings, instance, others);
    },
    capacityOf: (model) => parts.capacity.status(model),
    capacityDiscovery: () => parts.capacity.answer(),
    endpointHealth: (id) => healthOf(parts, id),
    checkEndpoint: async (id): Promise<EndpointCheck> => {
      const endpoint = findEndpoint(policies, id);
      if (endpoint === undefined) {
        const message = "The endpoint was just changed; try again in a moment.";
        return { ok: false, status: null, duration_ms: 0, message, health: healthOf(parts, id) };
      }
      const answer = await askProvider(endpoint, rules);
      const ok = answer.status !== null && answer.status < 500;
      return {
        ok,
        status: answer.status,
        duration_ms: answer.durationMs,
        message: answer.message,
        health: healthOf(parts, id),
      };
    },
    discoverModels: async (provider) => {
      const answer = await askProvider(provider, rules);
      if (answer.models.length === 0) throw new Error(answer.message);
      return answer.models;
    },
    budgetState: (account) => budgetState(parts, account),
  };
}

function managementSettings(settings: Settings, adminToken: string): ManagementSettings {
  return {
    adminToken,
    environmentLabel: settings.environmentLabel ?? undefined,
    sessionTtlMs: SESSION_TTL_MS,
    globalMaxInFlight: settings.globalMaxInFlight,
    defaultModelMaxInFlight: settings.defaultModelMaxInFlight,
    admissionTimeoutMs: settings.admissionTimeoutSecs * 1000,
    historyRetentionMs: settings.fairshareHistorySecs * 1000,
    maxBodyBytes: MAX_BODY_BYTES,
  };
}

async function budgetState(parts: ManagementParts, account: BudgetAccount): Promise<BudgetState | null> {
  const { period, startedAtMs, timezone } = account;
  const wallMs = parts.foundation.clock.wallMs();
  const term = termOf({ tokens: null, costUsd: null, period, startedAtMs }, timezone, wallMs);
  const subject = `${account.owner}:${account.id}`;
  const usage = await parts.fleet.cluster.budgets.usage({ subject, term: term.label });
  if (usage === null) return null;
  return {
    used_tokens: Math.round(usage.usedTokens),
    used_cost_usd: usage.usedCostUsd,
    reserved_tokens: Math.round(usage.reservedTokens),
    resets_ts_ms: term.endsAtMs,
  };
}

function healthOf({ isEndpointHealthy, policies }: ManagementParts, id: string): EndpointHealth {
  const endpoint = findEndpoint(policies, id);
  if (endpoint === undefined) return { state: "unknown", checked_at: null, message: null };
  return isEndpointHealthy(id)
    ? { state: "healthy", checked_at: null, message: null }
    : { state: "unhealthy", checked_at: null, message: "Requests to it failed; it is tried again now and then." };
}

function findEndpoint(policies: Policies, id: string): EndpointRecord | undefined {
  for (const model of policies.models.list()) {
    const found = model.endpoints.find((endpoint) => endpoint.id === id);
    if (found !== undefined) return found;
  }
  return undefined;
}
