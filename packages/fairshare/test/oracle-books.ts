/**
 * Who waits and who runs: the oracle's only record of requests. Every count is taken from these two lists, in one pass
 * after each change.
 */
import type { Account, Filter, OracleRequest } from "./oracle-state";

type List = "waiting" | "running";

export class Books {
  readonly waiting: OracleRequest[] = [];
  readonly running: OracleRequest[] = [];
  #tallies: Record<List, Map<Account | string, number>> | undefined;

  add(list: List, request: OracleRequest): void {
    this[list].push(request);
    this.changed();
  }

  /** The request, taken off the list; undefined when it is not on it. */
  remove(list: List, waiterId: number): OracleRequest | undefined {
    const at = this[list].findIndex((request) => request.waiterId === waiterId);
    if (at < 0) return undefined;
    this.changed();
    return this[list].splice(at, 1)[0];
  }

  /** Call when a tenant on the lists has moved to another group. */
  changed(): void {
    this.#tallies = undefined;
  }

  /** Requests on a list that belong to a key, a tenant, a group in a pool, or a pool: the narrowest that is given. */
  count(list: List, { pool, group, tenant, key }: Filter): number {
    this.#tallies ??= { waiting: tally(this.waiting), running: tally(this.running) };
    return this.#tallies[list].get(key ?? tenant ?? nameOf(pool ?? "", group)) ?? 0;
  }
}

function tally(requests: readonly OracleRequest[]): Map<Account | string, number> {
  const counts = new Map<Account | string, number>();
  for (const { key, tenant, pool } of requests) {
    for (const owner of [key, tenant, nameOf(pool, tenant.group.id), nameOf(pool, undefined)]) {
      counts.set(owner, (counts.get(owner) ?? 0) + 1);
    }
  }
  return counts;
}

function nameOf(pool: string, group: string | undefined): string {
  return group === undefined ? pool : `${pool}\n${group}`;
}
