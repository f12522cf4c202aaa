/**
 * Makes the records of requests, and keeps those of requests that are over to be used again.
 *
 * A record that waits outlives the collections of the young heap, which then copies it twice; with many waiting that
 * cost a third of a turn. A used one lies in the old heap already. Only records that nothing refers to may come back:
 * in no queue, table, session, hold or claim.
 */
import { assert } from "./assert";
import type { Arrive } from "./events";
import { costInForce } from "./limits";
import type { Key, Waiter } from "./state";

/** Records kept, 7 MB of them: a burst of that size costs no collection when it comes again. */
const SPARE_LIMIT = 65_536;

/** A record that stands for no request. Keeps nobody's key, which may have been forgotten since. */
type SpareRecord = Omit<Waiter, "key"> & { key: Key | null };

/** One engine's records. */
export class WaiterRecords {
  readonly #spare: SpareRecord[] = [];

  /** A record of a request that waits for nothing yet. */
  make(event: Arrive, key: Key, nowMs: number): Waiter {
    const waiter = this.#spare.pop();
    if (waiter === undefined) return makeRecord(event, key, nowMs);
    waiter.id = event.waiterId;
    waiter.key = key;
    waiter.costTokens = costInForce(event.costTokens);
    waiter.arrivedMs = nowMs;
    waiter.sessionId = event.session;
    waiter.tag = event.tag;
    waiter.sinceLastFinishMs = -1;
    waiter.state = "queued";
    assert(isRecord(waiter), "a record names its key");
    return waiter;
  }

  /** Takes back the record of a request that is over. The caller has no session, neighbour or other use of it left. */
  takeBack(waiter: Waiter): void {
    if (this.#spare.length >= SPARE_LIMIT) return;
    const spare: SpareRecord = waiter;
    spare.state = "gone";
    spare.key = null;
    spare.tag = undefined;
    this.#spare.push(spare);
  }
}

/** Whether a record is complete again. */
function isRecord(record: SpareRecord): record is Waiter {
  return record.key !== null;
}

/**
 * A record that was never used. All have the same fields in the same order, which keeps the code that reads them fast.
 */
function makeRecord(event: Arrive, key: Key, nowMs: number): Waiter {
  return {
    id: event.waiterId,
    key,
    costTokens: costInForce(event.costTokens),
    arrivedMs: nowMs,
    sessionId: event.session,
    tag: event.tag,
    session: null,
    sinceLastFinishMs: -1,
    state: "queued",
    older: null,
    younger: null,
  };
}
