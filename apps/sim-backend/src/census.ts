/**
 * Who is being served. The judge of over-admission: a request counts from the moment its headers are here until its
 * answer is fully written or its socket is gone, whatever happens in between. Tests believe these numbers, not the
 * gateway's own.
 */

export type Ending = "completed" | "failed" | "aborted";

/** A request as the backend saw it. */
export interface Visit {
  readonly id: number;
  readonly path: string;
  readonly startedMs: number;
  model: string;
  /** What the caller marked itself as: header `x-sim-tenant`, else the body's `user` or `metadata.user_id`. */
  marker: string;
  promptTokens: number;
  cachedTokens: number;
  outputTokens: number;
  endedMs: number | null;
  ending: Ending | null;
}

/** Requests running now, and the most that ever ran together since the last reset. */
export interface Level {
  running: number;
  highWater: number;
}

/** A long test run fits; a server left running for days stays small. */
const KEPT_VISITS = 1000;
/** More distinct markers or models than this are counted together, so that made-up names cannot fill the memory. */
const KEPT_NAMES = 1000;
const OTHERS = "(others)";

export class Census {
  readonly total: Level = { running: 0, highWater: 0 };
  readonly models = new Map<string, Level>();
  readonly markers = new Map<string, Level & { requests: number }>();
  readonly endings: Record<Ending, number> = { completed: 0, failed: 0, aborted: 0 };
  readonly visits: Visit[] = [];
  #lastId = 0;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** A request's headers have arrived. */
  enter(path: string): Visit {
    const visit: Visit = {
      id: ++this.#lastId,
      path,
      startedMs: this.#now(),
      model: "",
      marker: "",
      promptTokens: 0,
      cachedTokens: 0,
      outputTokens: 0,
      endedMs: null,
      ending: null,
    };
    raise(this.total);
    keep(this.visits, visit, KEPT_VISITS);
    return visit;
  }

  /** Its body has said which model it is for and whose it is. At most once a visit; after `leave` it does nothing. */
  identify(visit: Visit, who: { model: string; marker: string }): void {
    if (visit.ending !== null) return;
    visit.model = this.models.has(who.model) || this.models.size < KEPT_NAMES ? who.model : OTHERS;
    visit.marker = this.markers.has(who.marker) || this.markers.size < KEPT_NAMES ? who.marker : OTHERS;
    raise(entry(this.models, visit.model, () => ({ running: 0, highWater: 0 })));
    const marker = entry(this.markers, visit.marker, () => ({ running: 0, highWater: 0, requests: 0 }));
    marker.requests++;
    raise(marker);
  }

  /** The answer is written or the socket is gone. Only the first call for a visit counts. */
  leave(visit: Visit, ending: Ending): void {
    if (visit.ending !== null) return;
    visit.ending = ending;
    visit.endedMs = this.#now();
    this.endings[ending]++;
    this.total.running--;
    const model = this.models.get(visit.model);
    const marker = this.markers.get(visit.marker);
    if (model === undefined || marker === undefined) return;
    model.running--;
    marker.running--;
  }

  /** Requests of `model` being served now. */
  runningOf(model: string): number {
    return this.models.get(model)?.running ?? 0;
  }

  /** Forgets the past: high-water marks fall to what runs now, sums and records start again. */
  reset(): void {
    for (const level of [this.total, ...this.models.values(), ...this.markers.values()])
      level.highWater = level.running;
    for (const marker of this.markers.values()) marker.requests = 0;
    for (const ending of ["completed", "failed", "aborted"] as const) this.endings[ending] = 0;
    this.visits.splice(0, this.visits.length, ...this.visits.filter((visit) => visit.ending === null));
  }
}

function raise(level: Level): void {
  level.running++;
  level.highWater = Math.max(level.highWater, level.running);
}

function entry<V>(map: Map<string, V>, name: string, make: () => V): V {
  const found = map.get(name);
  if (found !== undefined) return found;
  const made = make();
  map.set(name, made);
  return made;
}

function keep<T>(list: T[], item: T, limit: number): void {
  list.push(item);
  if (list.length > limit * 1.25) list.splice(0, list.length - limit);
}
