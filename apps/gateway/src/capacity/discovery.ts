/**
 * Sizes of pools that follow their backend. Each gateway reads every discovered model's source again and again; a
 * size that changes resizes the pool live, and nothing is written down. While a source fails or finds nothing ready,
 * the last size stays; one never read leaves the model's own size or the default.
 */
import type { Clock, Timer } from "@obleth/clock";
import type { DiscoveredSize } from "../policy-cache/limits-feed";
import type { ModelChange } from "../policy-cache/model-directory";
import type { ModelDirectory, ModelRecord } from "../policy-cache/records";
import { discoveredSize, type Reading } from "./pool-size";

export interface Discovered {
  readonly state: "discovered" | "stale" | "fallback";
  /** Null while never read. */
  readonly size: number | null;
  readonly readyReplicas: number | null;
  /** Why the size is not a fresh one; null when it is. */
  readonly reason: string | null;
  /** Wall clock of the last reading that succeeded, and of the last change of size. */
  readonly readTsMs: number | null;
  readonly changedTsMs: number | null;
}

export interface CapacityDiscoveryOptions {
  readonly models: ModelDirectory;
  readonly clock: Clock;
  readonly intervalMs: number;
  /** Uniform in [0, 1): spreads the readings of many gateways. */
  readonly rng: () => number;
  /** Reads a model's source; rejects with a reason that may be shown. */
  readonly read: (model: ModelRecord) => Promise<Reading>;
  /** Undefined: the model is not discovered any more, or was never read. */
  readonly onSize: (model: string, found: DiscoveredSize | undefined) => void;
  readonly log: (event: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** Each interval is lengthened or shortened by up to this part. */
const JITTER = 0.1;

const NEVER: Discovered = {
  state: "fallback",
  size: null,
  readyReplicas: null,
  reason: "the source has not been read yet",
  readTsMs: null,
  changedTsMs: null,
};

export class CapacityDiscovery {
  readonly #options: CapacityDiscoveryOptions;
  readonly #found = new Map<string, Discovered>();
  /** Models being read; true when another reading was asked for meanwhile. */
  readonly #reading = new Map<string, boolean>();
  #timer: Timer | undefined;

  constructor(options: CapacityDiscoveryOptions) {
    this.#options = options;
  }

  /** What is known of a model; undefined when it is not discovered. */
  of(model: string): Discovered | undefined {
    const record = this.#options.models.find(model);
    if (record?.discovery === undefined) return undefined;
    return this.#found.get(record.name) ?? NEVER;
  }

  /** Reads every source, now and at intervals. Resolves when the first readings are in, however they went. */
  async start(): Promise<void> {
    this.#schedule();
    await this.readAll();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /** One reading of each discovered model; models that are not discovered any more are let go. */
  async readAll(): Promise<void> {
    const wanted = this.#options.models.list().filter((model) => model.discovery !== undefined && model.enabled);
    const names = new Set(wanted.map((model) => model.name));
    for (const name of this.#found.keys()) if (!names.has(name)) this.#forget(name);
    await Promise.all(wanted.map((model) => this.readOne(model)));
  }

  /** Reads one model's source; one that is being read is read once more after that. Never rejects. */
  async readOne(model: ModelRecord): Promise<void> {
    if (model.discovery === undefined) return;
    if (this.#reading.has(model.name)) {
      this.#reading.set(model.name, true);
      return;
    }
    this.#reading.set(model.name, false);
    try {
      this.#succeeded(model, await this.#options.read(model));
    } catch (error) {
      this.#failed(model, error instanceof Error ? error.message : String(error));
    }
    const isAskedAgain = this.#reading.get(model.name) === true;
    this.#reading.delete(model.name);
    const present = this.#options.models.find(model.name);
    if (isAskedAgain && present !== undefined) await this.readOne(present);
  }

  /** A model was made, changed or removed: its source is read at once, or let go. */
  async modelChanged(change: ModelChange): Promise<void> {
    const { before, after } = change;
    if (before !== null && before.name !== after?.name) this.#forget(before.name);
    if (after === null) return;
    if (after.discovery === undefined || !after.enabled) this.#forget(after.name);
    else await this.readOne(after);
  }

  #succeeded(model: ModelRecord, reading: Reading): void {
    const before = this.#found.get(model.name) ?? NEVER;
    const nowTsMs = this.#options.clock.wallMs();
    if (reading.readyReplicas === 0) {
      this.#keep(model.name, {
        ...before,
        state: before.size === null ? "fallback" : "stale",
        readyReplicas: 0,
        reason: "nothing is ready",
        readTsMs: nowTsMs,
      });
      return;
    }
    const size = discoveredSize(reading, model.discovery?.headroom ?? 1);
    this.#keep(model.name, {
      state: "discovered",
      size,
      readyReplicas: reading.readyReplicas,
      reason: null,
      readTsMs: nowTsMs,
      changedTsMs: size === before.size ? before.changedTsMs : nowTsMs,
    });
  }

  #failed(model: ModelRecord, reason: string): void {
    const before = this.#found.get(model.name) ?? NEVER;
    this.#keep(model.name, { ...before, state: before.size === null ? "fallback" : "stale", reason });
  }

  #keep(name: string, found: Discovered): void {
    const before = this.#found.get(name) ?? NEVER;
    this.#found.set(name, found);
    const hasChanged =
      before.size !== found.size || before.state !== found.state || before.readyReplicas !== found.readyReplicas;
    if (!hasChanged) return;
    this.#options.log("capacity.changed", { model: name, ...found });
    const hasNoReadyReplica = found.readyReplicas === 0;
    this.#options.onSize(name, { size: found.size ?? undefined, hasNoReadyReplica });
  }

  #forget(name: string): void {
    if (this.#found.delete(name)) this.#options.onSize(name, undefined);
  }

  #schedule(): void {
    const { clock, intervalMs, rng } = this.#options;
    const delayMs = intervalMs * (1 - JITTER + 2 * JITTER * rng());
    this.#timer = clock.setTimer(delayMs, () => {
      this.#schedule();
      void this.readAll();
    });
  }
}
