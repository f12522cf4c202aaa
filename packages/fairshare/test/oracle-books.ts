/**
 * Who waits and who runs: the oracle's only record of requests, with how many of each list belong to whom. Whenever it
 * is asked to, it counts the lists again from the beginning.
 */
import type { Account, Filter, OracleRequest } from "./oracle-state";

type List = "waiting" | "running";
type Owner = Account | string;

export class Books {
  readonly waiting: OracleRequest[] = [];
  readonly running: OracleRequest[] = [];
  readonly #counts: Record<List, Map<Owner, number>> = { waiting: new Map(), running: new Map() };

  add(list: List, request: OracleRequest): void {
    this[list].push(request);
    this.#note(list, request, 1);
  }

  /** The request, taken off the list; undefined when it is not on it. */
  remove(list: List, waiterId: number): OracleRequest | undefined {
    const at = this[list].findIndex((request) => request.waiterId === waiterId);
    const [request] = at < 0 ? [] : this[list].splice(at, 1);
    if (request !== undefined) this.#note(list, request, -1);
    return request;
  }

  /** Counts both lists again; needed when a tenant on them has moved to another group. */
  recount(): void {
    for (const list of ["waiting", "running"] as const) {
      this.#counts[list].clear();
      for (const request of this[list]) this.#note(list, request, 1);
    }
  }

  /** Requests on a list that belong to a key, a tenant, a group or a pool: the narrowest that is given. */
  count(list: List, { pool, group, tenant, key }: Filter): number {
    return this.#counts[list].get(key ?? tenant ?? group ?? pool ?? "") ?? 0;
  }

  #note(list: List, { key, tenant, pool }: OracleRequest, by: 1 | -1): void {
    const counts = this.#counts[list];
    bump(counts, key, by);
    bump(counts, tenant, by);
    bump(counts, tenant.group, by);
    bump(counts, pool, by);
  }
}

function bump(counts: Map<Owner, number>, owner: Owner, by: 1 | -1): void {
  const count = (counts.get(owner) ?? 0) + by;
  if (count === 0) counts.delete(owner);
  else counts.set(owner, count);
}
