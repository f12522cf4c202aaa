/** Records and small rules of the oracle: see `oracle.ts`. */
import type { TenantPolicy } from "../src/policy";

/** 2^4 x 3^2 x 5^3 x 7 x 11 x 13. */
export const SCORE_UNIT = 18_018_000;

/** Faults to plant, so that a test can show that it notices them. */
export type Fault =
  | "fifo"
  | "no_lift"
  | "raw_lift"
  | "strict_zero_share"
  | "no_lending"
  | "charged_cancel"
  | "caps_ignored"
  | "no_round_robin"
  | "finish_tag"
  | "request_counting"
  | "key_order_ignored"
  | "plain_largest_remainder"
  | "one_each_first"
  | "weights_ignored";

export interface OracleConfig {
  readonly algorithm: "hierarchical" | "weighted";
  readonly defaultPoolSize: number;
  readonly ceiling: number;
  readonly maxQueuePerPool?: number;
  readonly fault?: Fault;
}

export interface OracleGrant {
  readonly kind: "grant";
  readonly waiterId: number;
  readonly outcome: "fast" | "queued";
  readonly waitMs: number;
  readonly isLent: boolean;
}

export interface OracleRefusal {
  readonly kind: "refuse";
  readonly waiterId: number;
  readonly reason: "timed_out" | "queue_full" | "no_servers";
  readonly waitMs: number;
}

export type OracleAction = OracleGrant | OracleRefusal;

export interface OracleRequest {
  readonly waiterId: number;
  readonly pool: string;
  readonly key: Account;
  readonly tenant: TenantAccount;
  readonly cost: number;
  readonly arrivedMs: number;
  readonly dueMs: number;
}

/** A group, tenant or key as its siblings see it. */
export interface Account {
  readonly id: string;
  weight: number;
  /** In units of 1 / SCORE_UNIT. */
  score: number;
  served: number;
  lastGranted: number;
  cap: number;
}

export interface TenantAccount extends Account {
  group: GroupAccount;
  policy: TenantPolicy;
  /** Virtual time among its keys. */
  keyLevel: number;
  readonly keys: Map<string, Account>;
}

export interface GroupAccount extends Account {
  /** Virtual time among its tenants. */
  tenantLevel: number;
}

export interface OraclePool {
  readonly id: string;
  /** Virtual time among groups, and under `weighted` among all tenants. */
  groupLevel: number;
  tenantLevel: number;
  readonly groups: Map<string, GroupAccount>;
  readonly tenants: Map<string, TenantAccount>;
  quietSinceMs: number;
  /** When it last became able to admit, or admitted: pools take turns in this order. */
  turn: number;
  couldAdmit: boolean;
}

export interface Settings {
  size: number;
  admissionWeight: number;
  routed: boolean;
  hasServers: boolean;
  queueWithoutServers: boolean;
}

/** Which requests are counted; what is left out does not matter. */
export interface Filter {
  readonly pool?: string;
  readonly group?: GroupAccount;
  readonly tenant?: TenantAccount;
  readonly key?: Account;
}

/** Lowest score, then least recently granted, then lowest id. */
export function first<Item extends Account>(accounts: readonly Item[]): Item | undefined {
  let best: Item | undefined;
  for (const item of accounts) {
    const isBetter =
      best === undefined ||
      item.score < best.score ||
      (item.score === best.score &&
        (item.lastGranted < best.lastGranted || (item.lastGranted === best.lastGranted && item.id < best.id)));
    if (isBetter) best = item;
  }
  return best;
}

export function charged(account: Account, cost: number): number {
  return (cost * SCORE_UNIT) / account.weight;
}

export function account(id: string, weight: number, score: number): Account {
  return { id, weight, score, served: 0, lastGranted: 0, cap: Number.POSITIVE_INFINITY };
}

/** A weight that divides the unit of scores; anything else would make the model inexact. */
export function checked(weight: number): number {
  if (SCORE_UNIT % weight !== 0) throw new Error(`weight ${weight} does not divide ${SCORE_UNIT}`);
  return weight;
}
