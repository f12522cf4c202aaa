/** Models as the list shows them: configuration, live pool and the last hour in one row. */
import { formatExact } from "../../../lib/format";

interface ModelFacts {
  readonly id: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly type: string;
  readonly enabled: boolean;
  readonly capacity_mode: "static" | "tuned" | "discovered";
  readonly admission_weight: number;
  readonly session_affinity: { readonly enabled?: boolean | undefined };
  readonly endpoints: readonly { readonly enabled: boolean; readonly health: { readonly state: string } }[];
  readonly capacity: { readonly size: number; readonly state: string };
}

interface PoolFacts {
  readonly model: string;
  readonly cap: number;
  readonly in_flight: number;
  readonly held: number;
  readonly queued: number;
  readonly borrowed: number;
  readonly capacity_state: "ok" | "no_servers";
  readonly no_servers_cause: string | null;
}

interface WaitFacts {
  readonly model?: string | null | undefined;
  readonly requests: number;
  readonly queued: number;
  readonly timed_out: number;
  readonly p95_wait_ms: number | null;
}

export interface ModelRow {
  readonly model: ModelFacts;
  readonly pool: PoolFacts | null;
  readonly serving: "serving" | "no_servers" | "off";
  /** Why it has no servers. */
  readonly cause: string | null;
  readonly ready: number;
  readonly size: number;
  /** Part of the last hour's requests that waited; null without requests. */
  readonly waitedPart: number | null;
  readonly p95WaitMs: number | null;
}

/** Over this part of its requests waiting, a pool is too small for its traffic. */
export const WAITS_A_LOT = 0.2;

export function modelRows(
  models: readonly ModelFacts[],
  live: readonly PoolFacts[],
  usage: readonly WaitFacts[],
): ModelRow[] {
  const pools = new Map(live.map((pool) => [pool.model, pool]));
  const waits = new Map(usage.map((row) => [row.model ?? "", row]));
  return models.map((model) => {
    const pool = pools.get(model.name) ?? null;
    const wait = waits.get(model.name);
    const ready = model.endpoints.filter((endpoint) => endpoint.enabled && !isDown(endpoint.health.state)).length;
    const hasNone = pool === null ? ready === 0 : pool.capacity_state === "no_servers";
    return {
      model,
      pool,
      serving: !model.enabled ? "off" : hasNone ? "no_servers" : "serving",
      cause:
        pool?.no_servers_cause ??
        (model.endpoints.length === 0 ? "no_base_url" : hasNone ? "no_enabled_endpoint" : null),
      ready,
      size: pool?.cap ?? model.capacity.size,
      waitedPart: wait === undefined || wait.requests === 0 ? null : (wait.queued + wait.timed_out) / wait.requests,
      p95WaitMs: wait?.p95_wait_ms ?? null,
    };
  });
}

export interface ModelFilter {
  readonly text: string;
  readonly mode: string | null;
  readonly state: ModelRow["serving"] | null;
  readonly isWaitingOnly: boolean;
}

export function matchesModel(row: ModelRow, filter: ModelFilter): boolean {
  if (filter.mode !== null && row.model.capacity_mode !== filter.mode) return false;
  if (filter.state !== null && row.serving !== filter.state) return false;
  if (filter.isWaitingOnly && (row.waitedPart ?? 0) <= WAITS_A_LOT) return false;
  const text = filter.text.trim().toLowerCase();
  return [row.model.name, ...row.model.aliases].some((name) => name.toLowerCase().includes(text));
}

/** "4 models serve, 1 has no servers, 1 is off. sim-chat is too small for its traffic." */
export function modelsAnswer(rows: readonly ModelRow[]): string {
  if (rows.length === 0) return "No models yet.";
  const count = (serving: ModelRow["serving"]) => rows.filter((row) => row.serving === serving).length;
  const parts = [`${formatExact(count("serving"))} serving`];
  if (count("no_servers") > 0) parts.push(`${formatExact(count("no_servers"))} without servers`);
  if (count("off") > 0) parts.push(`${formatExact(count("off"))} off`);
  const small = rows.filter((row) => (row.waitedPart ?? 0) > WAITS_A_LOT);
  const [first] = small;
  const words =
    first === undefined
      ? ""
      : small.length === 1
        ? ` ${first.model.name} is small for its traffic.`
        : ` ${formatExact(small.length)} pools are small for their traffic.`;
  return `${parts.join(", ")}.${words}`;
}

function isDown(state: string): boolean {
  return state === "unhealthy" || state === "ejected" || state === "disabled";
}
