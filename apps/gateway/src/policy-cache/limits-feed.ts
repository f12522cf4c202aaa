/**
 * Keeps the scheduler's limits in step with the configuration and with how limits hold across replicas: every model's
 * pool, the pool of unregistered names, and the ceiling. The only caller of `setPool` and `setLimits`.
 */
import { type LimitsChanged, type NoServersCause, type PoolChanged, type PoolId, UNROUTED } from "@obleth/fairshare";
import { splitLimit } from "@obleth/fairshare/shares";
import type { ModelChange } from "./model-directory";
import {
  configuredSize,
  noServersCause,
  type PoolDefaults,
  type PoolFacts,
  poolSettings,
  removedSettings,
  unroutedSettings,
} from "./pool-settings";
import type { ModelDirectory, ModelRecord } from "./records";

export interface LimitsSink {
  setPool(change: PoolChanged): void;
  setLimits(change: Omit<LimitsChanged, "kind">): void;
}

/** What capacity discovery found for a model. */
export interface DiscoveredSize {
  /** Undefined: never read; the model's own size or the default holds. */
  readonly size: number | undefined;
  readonly hasNoReadyReplica: boolean;
}

/** How limits hold at the moment. */
export interface LimitMode {
  /** Whether each slot is claimed elsewhere. */
  readonly slots: "local" | "shared";
  /** Replicas that every limit is divided over; 1 where the configured values hold. */
  readonly divisor: number;
}

export interface LimitsFeedOptions {
  readonly models: ModelDirectory;
  readonly sink: LimitsSink;
  readonly defaults: PoolDefaults;
  readonly ceiling: number;
  /** Unregistered names have somewhere to go. */
  readonly hasUnroutedUpstream: boolean;
}

export class LimitsFeed {
  readonly #options: LimitsFeedOptions;
  /** By canonical name. */
  readonly #discovered = new Map<string, DiscoveredSize>();
  #ceiling: number;
  #mode: LimitMode = { slots: "local", divisor: 1 };

  constructor(options: LimitsFeedOptions) {
    this.#options = options;
    this.#ceiling = options.ceiling;
  }

  /** Ceiling over all pools as configured. */
  get ceiling(): number {
    return this.#ceiling;
  }

  /** Tells the scheduler everything; for the start. */
  start(): void {
    this.#feedLimits();
    for (const model of this.#options.models.list()) this.#feed(model);
    this.#options.sink.setPool(unroutedSettings(this.#facts(UNROUTED), this.#options.hasUnroutedUpstream));
  }

  modelChanged({ before, after }: ModelChange): void {
    if (after !== null) this.#feed(after);
    else if (before !== null) {
      this.#options.sink.setPool(removedSettings(before, this.#facts(before.name)));
      this.#discovered.delete(before.name);
    }
  }

  setCeiling(ceiling: number): void {
    if (ceiling === this.#ceiling) return;
    this.#ceiling = ceiling;
    this.#feedLimits();
  }

  /** The scheduler divides every pool, the ceiling and every cap itself, all at once; nothing that runs is cut short. */
  setMode(mode: LimitMode): void {
    this.#mode = mode;
    this.#feedLimits();
  }

  setDiscovered(model: string, found: DiscoveredSize | undefined): void {
    if (found === undefined) this.#discovered.delete(model);
    else this.#discovered.set(model, found);
    const record = this.#options.models.find(model);
    if (record !== undefined) this.#feed(record);
  }

  /** Slots of a pool in force here and as configured. */
  poolSize(pool: PoolId): { readonly size: number; readonly configuredSize: number } {
    const record = this.#options.models.find(pool);
    const facts = this.#facts(pool);
    const size = record === undefined ? facts.defaults.size : configuredSize(record, facts);
    return { size: splitLimit(size, this.#mode.divisor), configuredSize: size };
  }

  noServersCause(pool: PoolId): NoServersCause | null {
    if (pool === UNROUTED) return this.#options.hasUnroutedUpstream ? null : "no_base_url";
    const record = this.#options.models.find(pool);
    return record === undefined ? null : noServersCause(record, this.#discovered.get(pool)?.hasNoReadyReplica);
  }

  maxBypassMs(pool: PoolId): number | null {
    const record = this.#options.models.find(pool);
    const facts = this.#facts(pool);
    if (pool === UNROUTED) return unroutedSettings(facts, true).affinity?.maxBypassMs ?? null;
    return record === undefined ? null : (poolSettings(record, facts).affinity?.maxBypassMs ?? null);
  }

  /** Configured slots of all enabled models. */
  enabledPoolSlots(): number {
    const enabled = this.#options.models.list().filter((model) => model.enabled);
    return enabled.reduce((sum, model) => sum + configuredSize(model, this.#facts(model.name)), 0);
  }

  #feedLimits(): void {
    const { slots, divisor } = this.#mode;
    this.#options.sink.setLimits({ ceiling: this.#ceiling, slots, divisor });
  }

  #feed(model: ModelRecord): void {
    this.#options.sink.setPool(poolSettings(model, this.#facts(model.name)));
  }

  #facts(name: string): PoolFacts {
    const found = this.#discovered.get(name);
    return {
      defaults: this.#options.defaults,
      ...(found === undefined ? {} : { discoveredSize: found.size, hasNoReadyReplica: found.hasNoReadyReplica }),
    };
  }
}
