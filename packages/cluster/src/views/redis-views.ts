/**
 * Views in Redis: one string per replica that expires after three intervals. Publishing and reading go on in the
 * background while slots are shared, so that whoever asks is answered from memory.
 */
import type { Clock, Timer } from "@obleth/clock";
import type { EngineSnapshot, PoolId } from "@obleth/fairshare";
import type { RedisClient } from "../redis/connect";
import { withDeadline } from "../redis/deadline";
import type { Keys } from "../redis/keys";
import { trimView } from "./trim-view";
import {
  type OtherViews,
  publishIntervalMs,
  type ReadView,
  type ReplicaView,
  VIEW_INTERVALS,
  type ViewStore,
} from "./view-store";

export interface RedisViewsOptions {
  readonly client: RedisClient;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly instance: string;
  readonly heartbeatMs: number;
  readonly timeoutMs: number;
  /** This replica's picture at this moment, and what it says of itself. */
  readonly picture: () => { engine: EngineSnapshot; about: ReplicaView["about"] };
  /** The other living replicas. */
  readonly others: () => readonly string[];
}

const NOT_SHARED: OtherViews = { views: [], reason: null };
const NOT_READ: OtherViews = { views: [], reason: "the other gateways' state has not been read yet" };

export class RedisViews implements ViewStore {
  readonly #options: RedisViewsOptions;
  readonly #intervalMs: number;
  readonly #parsed = new Map<string, { readonly text: string; readonly view: ReplicaView }>();
  #others: OtherViews = NOT_SHARED;
  #timer: Timer | undefined;
  #isActive = false;

  constructor(options: RedisViewsOptions) {
    this.#options = options;
    this.#intervalMs = publishIntervalMs(options.heartbeatMs);
  }

  get others(): OtherViews {
    return this.#others;
  }

  /** Begins or ends publishing and reading. */
  setActive(isActive: boolean): void {
    if (this.#isActive === isActive) return;
    this.#isActive = isActive;
    this.#timer?.cancel();
    this.#others = isActive ? NOT_READ : NOT_SHARED;
    if (isActive) void this.#round();
    else this.#parsed.clear();
  }

  async #round(): Promise<void> {
    const startedMs = this.#options.clock.monotonicMs();
    let others: OtherViews;
    try {
      await this.#publish();
      others = { views: await this.#read(), reason: null };
    } catch {
      others = { views: [], reason: "the other gateways' state cannot be read from Redis" };
    }
    if (!this.#isActive) return;
    this.#others = others;
    const tookMs = this.#options.clock.monotonicMs() - startedMs;
    this.#timer = this.#options.clock.setTimer(Math.max(1, this.#intervalMs - tookMs), () => void this.#round());
  }

  async #publish(): Promise<void> {
    const { client, keys, clock, instance, timeoutMs, picture } = this.#options;
    const { engine, about } = picture();
    const text = encodeView({ instance, about, ...trimView(engine) });
    const livesMs = Math.ceil(this.#intervalMs * VIEW_INTERVALS);
    await withDeadline(clock, timeoutMs, client.set(keys.view(instance), text, "PX", livesMs));
  }

  /** Reads the views of all living others in one round trip. Damaged ones are left out. */
  async #read(): Promise<ReadView[]> {
    const { client, keys, clock, timeoutMs, others } = this.#options;
    const names = others();
    const pipeline = client.pipeline();
    for (const name of names) pipeline.get(keys.view(name)).pttl(keys.view(name));
    const replies = names.length === 0 ? [] : await withDeadline(clock, timeoutMs, pipeline.exec());
    const read: ReadView[] = [];
    for (const [i, name] of names.entries()) {
      const [error, text] = replies?.[2 * i] ?? [];
      const [, livesMs] = replies?.[2 * i + 1] ?? [];
      if (error) throw error;
      if (typeof text !== "string" || typeof livesMs !== "number" || livesMs < 0) continue;
      const view = this.#parse(name, text);
      if (view !== undefined) read.push({ view, ageMs: Math.max(0, this.#intervalMs * VIEW_INTERVALS - livesMs) });
    }
    for (const name of this.#parsed.keys()) if (!names.includes(name)) this.#parsed.delete(name);
    return read;
  }

  #parse(name: string, text: string): ReplicaView | undefined {
    const last = this.#parsed.get(name);
    if (last?.text === text) return last.view;
    const view = decodeView(text);
    if (view !== undefined) this.#parsed.set(name, { text, view });
    return view;
  }
}

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
