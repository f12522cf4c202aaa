/**
 * The last hour of every pool in memory: one sample every two seconds, this replica's own counts, gone with the
 * process. A moment that was not sampled stays missing. Pools at rest cost one pointer a sample.
 */
import type { Clock, Timer } from "@obleth/clock";
import type { FairshareHistory, HistoryPoint, HistoryQuery } from "@obleth/contract";
import { type PoolSample as EngineSample, poolId } from "@obleth/fairshare";
import type { ReplicaFacts } from "./moment";

export const SAMPLE_INTERVAL_MS = 2_000;

/** Session affinity's counts since the process began. */
export interface AffinityCounts {
  readonly hold: number;
  readonly redeem: number;
  readonly expire: number;
}

export interface HistoryOptions {
  readonly clock: Clock;
  /** 0 keeps nothing. */
  readonly retentionMs: number;
  readonly replica: ReplicaFacts;
  /** Counts of the pools the scheduler has at the moment. */
  readonly sample: () => readonly EngineSample[];
  /** Every enabled model's pool and its size; those the scheduler does not have are at rest. */
  readonly pools: () => Iterable<readonly [pool: string, size: number]>;
  readonly onFault: (error: unknown) => void;
  /** By pool; undefined where nothing was ever held. */
  readonly affinity: (pool: string) => AffinityCounts | undefined;
  /** Canonical name of a model's name or alias. */
  readonly canonical: (name: string) => string;
}

type Counts = Pick<HistoryPoint, "in_flight" | "queued" | "held" | "cap" | "groups">;

interface PoolSample extends Counts {
  readonly affinity: AffinityCounts | undefined;
}

interface Sample {
  readonly tsMs: number;
  readonly pools: ReadonlyMap<string, PoolSample>;
  readonly total: Counts;
}

const NOTHING: Counts = { in_flight: 0, queued: 0, held: 0, cap: 0, groups: {} };

export class History {
  readonly #options: HistoryOptions;
  readonly #samples: Sample[] = [];
  /** Each pool's latest session counts before the oldest sample; none at the start, when nothing had happened. */
  readonly #countsBefore = new Map<string, AffinityCounts>();
  #timer: Timer | undefined;

  constructor(options: HistoryOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#options.retentionMs === 0) return;
    this.#timer = this.#options.clock.setTimer(SAMPLE_INTERVAL_MS, () => {
      try {
        this.sample();
      } catch (error) {
        this.#options.onFault(error);
      }
      this.start();
    });
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /** Notes the present counts. Times never repeat or run back, whatever the wall clock does. */
  sample(): void {
    const { clock, retentionMs } = this.#options;
    const tsMs = clock.wallMs();
    while ((this.#samples.at(-1)?.tsMs ?? 0) >= tsMs) this.#samples.pop();
    const last = this.#samples.at(-1);
    const pools = new Map<string, PoolSample>();
    for (const pool of this.#present()) pools.set(pool.pool, this.#poolSample(pool, last?.pools.get(pool.pool)));
    this.#samples.push({ tsMs, pools, total: totalOf(pools.values()) });
    const firstKept = this.#samples.findIndex((sample) => sample.tsMs > tsMs - retentionMs);
    if (firstKept > 0) this.#letGo(this.#samples.splice(0, firstKept));
  }

  answer(query: HistoryQuery): FairshareHistory {
    const { replica, retentionMs, canonical } = this.#options;
    const model = query.model === undefined ? undefined : canonical(query.model);
    const from = query.since_ms ?? 0;
    const points: HistoryPoint[] = [];
    let before = model === undefined ? undefined : this.#countsBefore.get(model);
    for (const { tsMs, pools, total } of this.#samples) {
      const pool = model === undefined ? undefined : pools.get(model);
      if (tsMs >= from) points.push(model === undefined ? { ts_ms: tsMs, ...total } : pointOf({ tsMs, pool, before }));
      before = pool?.affinity ?? before;
    }
    return {
      instance: replica.instance,
      started_ts_ms: replica.startedTsMs,
      interval_ms: SAMPLE_INTERVAL_MS,
      retention_ms: retentionMs,
      oldest_ts_ms: this.#samples[0]?.tsMs ?? null,
      points,
    };
  }

  #letGo(samples: readonly Sample[]): void {
    for (const { pools } of samples) {
      for (const [name, { affinity }] of pools) if (affinity !== undefined) this.#countsBefore.set(name, affinity);
    }
  }

  /** The scheduler's pools, and those of models nobody asks for at the moment. */
  #present(): EngineSample[] {
    const present = [...this.#options.sample()];
    const known = new Set<string>(present.map((pool) => pool.pool));
    for (const [pool, size] of this.#options.pools()) {
      if (!known.has(pool))
        present.push({ pool: poolId(pool), size, inFlight: 0, queued: 0, held: 0, groups: new Map() });
    }
    return present;
  }

  /** The sample before, when nothing differs: pools at rest share one object. */
  #poolSample(pool: EngineSample, last: PoolSample | undefined): PoolSample {
    const affinity = this.#options.affinity(pool.pool);
    const isSame =
      last !== undefined &&
      last.affinity === affinity &&
      last.cap === pool.size &&
      last.in_flight + last.queued + last.held + pool.inFlight + pool.queued + pool.held === 0;
    if (isSame) return last;
    const groups = Object.fromEntries(pool.groups);
    return { in_flight: pool.inFlight, queued: pool.queued, held: pool.held, cap: pool.size, groups, affinity };
  }
}

function pointOf(at: { tsMs: number; pool: PoolSample | undefined; before: AffinityCounts | undefined }): HistoryPoint {
  const { affinity, ...counts } = at.pool ?? { ...NOTHING, affinity: undefined };
  const since = (event: keyof AffinityCounts) => Math.max(0, (affinity?.[event] ?? 0) - (at.before?.[event] ?? 0));
  return {
    ts_ms: at.tsMs,
    ...counts,
    affinity: { hold: since("hold"), redeem: since("redeem"), expire: since("expire") },
  };
}

function totalOf(pools: Iterable<PoolSample>): Counts {
  const groups = new Map<string, number>();
  const sum = { in_flight: 0, queued: 0, held: 0, cap: 0 };
  for (const pool of pools) {
    sum.in_flight += pool.in_flight;
    sum.queued += pool.queued;
    sum.held += pool.held;
    sum.cap += pool.cap;
    for (const [group, count] of Object.entries(pool.groups)) groups.set(group, (groups.get(group) ?? 0) + count);
  }
  return { ...sum, groups: Object.fromEntries(groups) };
}
