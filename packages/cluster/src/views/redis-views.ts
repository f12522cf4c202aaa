/**
 * Views in Redis: one string per replica that expires after three intervals. Publishing and reading go on in the
 * background while slots are shared, so that whoever asks is answered from memory.
 */
import type { Clock, Timer } from "@obleth/clock";
import type { EngineSnapshot, KeyId, PoolId, TenantId } from "@obleth/fairshare";
import type { RedisClient } from "../redis/connect";
import { withDeadline } from "../redis/deadline";
import { type Keys, unescapePart } from "../redis/keys";
import { trimView } from "./trim-view";
import {
  type HeldSlot,
  type OtherViews,
  publishIntervalMs,
  type ReadView,
  type ReplicaView,
  VIEW_INTERVALS,
  type ViewStore,
} from "./view-store";

/** What views are made with; `picture` is asked once for each publication. */
export interface RedisViewsOptions {
  readonly client: RedisClient;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly instance: string;
  /** A view is published this often at the least. */
  readonly heartbeatMs: number;
  /** Longest wait for an answer, ms. */
  readonly timeoutMs: number;
  /** This replica's picture at this moment, and what it says of itself. */
  readonly picture: () => { engine: EngineSnapshot; about: ReplicaView["about"] };
  /** The other living replicas. */
  readonly others: () => readonly string[];
}

/** Outside shared mode: nothing is read, and that is no fault. */
const NOT_SHARED: OtherViews = { views: [], holds: [], reason: null };
/** From entering shared mode to the first read. */
const NOT_READ: OtherViews = { views: [], holds: [], reason: "the other gateways' state has not been read yet" };
/** Held slots read at most: a quarter of all slots may be held, so more than this no fleet has. */
const MOST_HOLDS = 5000;

/** Publishes this replica's view and reads the others' while active. Asking costs nothing and never fails. */
export class RedisViews implements ViewStore {
  readonly #options: RedisViewsOptions;
  readonly #intervalMs: number;
  readonly #parsed = new Map<string, { readonly text: string; readonly view: ReplicaView }>();
  /** As of the last read. */
  #read: OtherViews = NOT_SHARED;
  #readAtMs = 0;
  #timer: Timer | undefined;
  #isActive = false;

  constructor(options: RedisViewsOptions) {
    this.#options = options;
    this.#intervalMs = publishIntervalMs(options.heartbeatMs);
  }

  /** What was read last, aged to this moment, so that a replica that fell silent goes from it in time. */
  get others(): OtherViews {
    const sinceReadMs = this.#options.clock.monotonicMs() - this.#readAtMs;
    return aged(this.#read, sinceReadMs, this.#livesMs);
  }

  /** How long a view counts, ms. */
  get #livesMs(): number {
    return Math.ceil(this.#intervalMs * VIEW_INTERVALS);
  }

  /** Begins or ends publishing and reading. */
  setActive(isActive: boolean): void {
    if (this.#isActive === isActive) return;
    this.#isActive = isActive;
    this.#timer?.cancel();
    this.#read = isActive ? NOT_READ : NOT_SHARED;
    if (isActive) void this.#round();
    else this.#parsed.clear();
  }

  /**
   * Publishes, reads, and appoints the next round, so that rounds never overlap. A failure only says why nothing is
   * known; one that ends after `setActive(false)` changes nothing.
   */
  async #round(): Promise<void> {
    const startedMs = this.#options.clock.monotonicMs();
    let others: OtherViews;
    try {
      await this.#publish();
      others = { ...(await this.#readOthers()), reason: null };
    } catch {
      others = { views: [], holds: [], reason: "the other gateways' state cannot be read from Redis" };
    }
    if (!this.#isActive) return;
    this.#read = others;
    this.#readAtMs = this.#options.clock.monotonicMs();
    const tookMs = this.#readAtMs - startedMs;
    this.#timer = this.#options.clock.setTimer(Math.max(1, this.#intervalMs - tookMs), () => void this.#round());
  }

  /** Writes this replica's view, to expire by itself. Rejects when the picture or Redis fails. */
  async #publish(): Promise<void> {
    const { client, keys, clock, instance, timeoutMs, picture } = this.#options;
    const { engine, about } = picture();
    const text = encodeView({ instance, about, ...trimView(engine) });
    await withDeadline(clock, timeoutMs, client.set(keys.view(instance), text, "PX", this.#livesMs));
  }

  /** Reads the views of all living others and the held slots in one round trip. Damaged ones are left out. */
  async #readOthers(): Promise<Pick<OtherViews, "views" | "holds">> {
    const { client, keys, clock, timeoutMs, others } = this.#options;
    const names = others();
    const pipeline = client.pipeline();
    for (const name of names) pipeline.get(keys.view(name)).pttl(keys.view(name));
    pipeline.time().zrange(keys.holds, 0, MOST_HOLDS - 1, "WITHSCORES");
    const replies = await withDeadline(clock, timeoutMs, pipeline.exec());
    const read: ReadView[] = [];
    for (const [i, name] of names.entries()) {
      const [error, text] = replies?.[2 * i] ?? [];
      const [, livesMs] = replies?.[2 * i + 1] ?? [];
      if (error) throw error;
      if (typeof text !== "string" || typeof livesMs !== "number" || livesMs < 0) continue;
      const view = this.#parse(name, text);
      if (view !== undefined) read.push({ view, ageMs: Math.max(0, this.#livesMs - livesMs) });
    }
    for (const name of this.#parsed.keys()) if (!names.includes(name)) this.#parsed.delete(name);
    const [[timeError, time] = [], [holdError, holds] = []] = replies?.slice(-2) ?? [];
    if (timeError || holdError) throw timeError ?? holdError;
    return { views: read, holds: heldSlots(holds, time) };
  }

  /** A view that has not changed is not parsed again: a megabyte twice a second would be felt. */
  #parse(name: string, text: string): ReplicaView | undefined {
    const last = this.#parsed.get(name);
    if (last?.text === text) return last.view;
    const view = decodeView(text);
    if (view !== undefined) this.#parsed.set(name, { text, view });
    return view;
  }
}

/** What was read so long ago, as it is to be taken by now: views age, and go after their time, as held slots do. */
function aged({ views, holds, reason }: OtherViews, sinceReadMs: number, livesMs: number): OtherViews {
  return {
    views: views.flatMap(({ view, ageMs }) =>
      ageMs + sinceReadMs > livesMs ? [] : [{ view, ageMs: ageMs + sinceReadMs }],
    ),
    holds: holds.flatMap((hold) =>
      hold.leftMs <= sinceReadMs ? [] : [{ ...hold, leftMs: hold.leftMs - sinceReadMs }],
    ),
    reason,
  };
}

/** `flat`: session and expiry in turn; `time`: seconds and microseconds of the same clock. */
function heldSlots(flat: unknown, time: unknown): HeldSlot[] {
  if (!Array.isArray(flat) || !Array.isArray(time)) return [];
  const nowMs = Number(time[0]) * 1000 + Number(time[1]) / 1000;
  const held: HeldSlot[] = [];
  for (let at = 0; at < flat.length; at += 2) {
    const [pool, tenant, key] = String(flat[at]).split("|").map(unescapePart);
    const leftMs = Math.round(Number(flat[at + 1]) - nowMs);
    // One that ran out is freed by the next slot call.
    if (pool === undefined || tenant === undefined || key === undefined || leftMs <= 0) continue;
    held.push({ pool: pool as PoolId, tenantId: tenant as TenantId, keyId: key as KeyId, leftMs });
  }
  return held;
}

/** The view as it is stored; `decodeView` reads it. */
export function encodeView(view: ReplicaView): string {
  return JSON.stringify({ ...view, uncut: [...view.uncut] });
}

/** The view, or undefined when the text is none. Only replicas of this program write views, so its shape is trusted. */
export function decodeView(text: string): ReplicaView | undefined {
  try {
    const read: { uncut?: [PoolId, { tenants: number; keys: number }][]; engine?: EngineSnapshot } & Partial<
      Omit<ReplicaView, "uncut" | "engine">
    > = JSON.parse(text);
    const { instance, engine, about, uncut } = read;
    if (instance === undefined || engine?.pools === undefined || about === undefined) return undefined;
    return { instance, engine, about, uncut: new Map(uncut ?? []) };
  } catch {
    return undefined;
  }
}
