/**
 * Carries usage records from the request path to the database: a bounded queue, written in batches, one batch at a time.
 * While the database is away records stay in the queue, then in a local file, and go in later. Nothing is lost on a clean
 * stop; a killed process loses what it had not written yet, at most a batch while the database keeps up.
 */
import type { Clock, Timer } from "@obleth/clock";
import type { SpillFile } from "./spill-file";
import type { UsageRecord, UsageSink } from "./usage-record";

export interface UsageRecorderOptions {
  /** Writes a batch; inserting a record twice must be harmless. Rejects when it is not certain that all are in. */
  readonly insert: (batch: readonly UsageRecord[]) => Promise<unknown>;
  /** Whether a failed insert says that the database is there and will never take one of the records. */
  readonly isRefusal?: (error: unknown) => boolean;
  readonly clock: Clock;
  readonly spill: SpillFile;
  readonly events: UsageRecorderEvents;
  readonly limits?: Partial<UsageRecorderLimits>;
}

export interface UsageRecorderEvents {
  /** Records that went to the local file instead. */
  spilled(count: number): void;
  /** Records that are lost, with the reason. */
  dropped(count: number, reason: string): void;
  /** The database did not take a batch. */
  insertFailed(error: unknown): void;
}

export interface UsageRecorderLimits {
  /** Records kept in memory. */
  readonly maxQueued: number;
  /** Records written at once. */
  readonly batchSize: number;
  /** Longest time a record waits for its batch to fill, ms. */
  readonly everyMs: number;
  /** Records on their way to the local file; beyond, the disk is taken not to work. */
  readonly maxSpilling: number;
}

const DEFAULT_LIMITS: UsageRecorderLimits = { maxQueued: 10_000, batchSize: 500, everyMs: 1_000, maxSpilling: 50_000 };

/** First pause after a failed batch, ms; doubled up to the longest. */
const FIRST_PAUSE_MS = 500;
/** A database that comes back is written to within half a minute. */
const LONGEST_PAUSE_MS = 30_000;
/** Times a record has to fail alone, each time between successes of others, to be given up. */
const STRIKES_TO_DROP = 3;

export class UsageRecorder implements UsageSink {
  readonly #limits: UsageRecorderLimits;
  #queue: UsageRecord[] = [];
  #writing: Promise<void> | null = null;
  /** The batch being written. */
  #underWay: readonly UsageRecord[] = [];
  #timer: Timer | null = null;
  #failures = 0;
  /** Smaller after failures, so that one record the database refuses does not hold up the others. */
  #batchSize: number;
  /** Failed alone; given up once others succeed and it alone does not, several times. */
  #suspect: UsageRecord | null = null;
  #lastSuspect: UsageRecord | null = null;
  #strikes = 0;
  #mayHaveSpilled = true;
  #isClosed = false;

  constructor(private readonly options: UsageRecorderOptions) {
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#batchSize = this.#limits.batchSize;
    this.#schedule(this.#limits.everyMs);
  }

  /** Records waiting in memory. */
  get queuedCount(): number {
    return this.#queue.length;
  }

  /** Records that only this process has: waiting, or on their way to the database. */
  get unsavedCount(): number {
    return this.#queue.length + this.#underWay.length + (this.#suspect === null ? 0 : 1);
  }

  record(usage: UsageRecord): void {
    if (this.#isClosed) {
      this.#spill([usage]);
      return;
    }
    this.#queue.push(usage);
    if (this.#queue.length > this.#limits.maxQueued) this.#spill(this.#queue.splice(0, this.#limits.batchSize));
    if (this.#isWorthWriting && this.#failures === 0) this.#writeSoon();
    else this.#schedule(this.#limits.everyMs);
  }

  /**
   * Writes what is left, for at most `limitMs`, then puts the rest into the local file. Nothing is lost unless the disk
   * fails as well.
   */
  async close(limitMs: number): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    const deadline = this.#deadline(limitMs);
    // What is under way counts as well: it may still fail, and then nobody else has it.
    while ((this.#queue.length > 0 || this.#underWay.length > 0) && !deadline.isOver) {
      await Promise.race([this.#write(), deadline.reached]);
      if (this.#failures > 0) break;
    }
    deadline.cancel();
    const rest = [...this.#underWay, ...this.#queue.splice(0)];
    if (this.#suspect !== null) rest.unshift(this.#suspect);
    this.#suspect = null;
    if (rest.length > 0) this.#spillNow(rest);
    await this.options.spill.flushed().catch(() => {});
  }

  #deadline(limitMs: number): { isOver: boolean; reached: Promise<void>; cancel: () => void } {
    const deadline = { isOver: false, reached: Promise.resolve(), cancel: () => {} };
    deadline.reached = new Promise((resolve) => {
      const timer = this.options.clock.setTimer(limitMs, () => {
        deadline.isOver = true;
        resolve();
      });
      deadline.cancel = () => timer.cancel();
    });
    return deadline;
  }

  #schedule(delayMs: number): void {
    if (this.#isClosed) return;
    this.#timer ??= this.options.clock.setTimer(delayMs, () => {
      this.#timer = null;
      this.#writeSoon();
    });
  }

  #writeSoon(): void {
    if (this.#writing === null) void this.#write();
  }

  /** One batch, or the local file when the queue is empty. Never rejects. */
  #write(): Promise<void> {
    this.#writing ??= this.#writeBatch().finally(() => {
      this.#writing = null;
      if (this.#queue.length > 0 || this.#mayHaveSpilled) this.#schedule(this.#pauseMs());
    });
    return this.#writing;
  }

  /** At half a batch, so that what waits and what is under way together are no more than one while the database keeps up. */
  get #isWorthWriting(): boolean {
    return this.#queue.length >= this.#limits.batchSize / 2;
  }

  #pauseMs(): number {
    if (this.#failures > 0) return Math.min(FIRST_PAUSE_MS * 2 ** (this.#failures - 1), LONGEST_PAUSE_MS);
    return this.#isWorthWriting ? 0 : this.#limits.everyMs;
  }

  async #writeBatch(): Promise<void> {
    if (this.#queue.length === 0) {
      await this.#replay();
      return;
    }
    const batch = this.#queue.splice(0, this.#batchSize);
    this.#underWay = batch;
    try {
      await this.#insert(batch);
      this.#underWay = [];
      this.#succeeded();
    } catch (error) {
      this.#underWay = [];
      this.#failed(batch, error);
    }
  }

  /** Writes a batch without the records that the database refuses: halves find them in a few steps. */
  async #insert(batch: readonly UsageRecord[]): Promise<void> {
    try {
      await this.options.insert(batch);
    } catch (error) {
      const [first] = batch;
      if (first === undefined || this.options.isRefusal?.(error) !== true) throw error;
      if (batch.length === 1) {
        this.options.events.insertFailed(error);
        this.options.events.dropped(1, `the database refuses the record of request ${first.requestId}`);
        return;
      }
      const half = Math.ceil(batch.length / 2);
      await this.#insert(batch.slice(0, half));
      await this.#insert(batch.slice(half));
    }
  }

  #succeeded(): void {
    this.#failures = 0;
    this.#batchSize = Math.min(this.#batchSize * 2, this.#limits.batchSize);
    const suspect = this.#suspect;
    if (suspect === null) return;
    this.#suspect = null;
    // It may have failed while the database was away, so it is tried alone again before it is given up.
    if (suspect !== this.#lastSuspect) this.#strikes = 0;
    this.#lastSuspect = suspect;
    this.#strikes++;
    if (this.#strikes < STRIKES_TO_DROP) {
      this.#queue.unshift(suspect);
      this.#batchSize = 1;
    } else {
      this.options.events.dropped(1, `the database refuses the record of request ${suspect.requestId}`);
    }
  }

  #failed(batch: UsageRecord[], error: unknown): void {
    this.options.events.insertFailed(error);
    this.#failures++;
    const [only] = batch;
    if (batch.length === 1 && this.#suspect === null && this.#queue.length > 0 && only !== undefined) {
      this.#suspect = only;
      return;
    }
    if (this.#suspect !== null) batch.unshift(this.#suspect);
    this.#suspect = null;
    this.#queue.unshift(...batch);
    if (this.#failures % 3 === 0) this.#batchSize = Math.max(1, Math.floor(this.#batchSize / 2));
  }

  async #replay(): Promise<void> {
    if (!this.#mayHaveSpilled || this.#isClosed) return;
    try {
      const unreadable = await this.options.spill.replay((batch) => this.#insert(batch), this.#limits.batchSize);
      this.#mayHaveSpilled = await this.options.spill.hasRecords();
      this.#failures = 0;
      if (unreadable > 0) this.options.events.dropped(unreadable, "lines of the local file were cut off by a crash");
    } catch (error) {
      this.#failures++;
      this.options.events.insertFailed(error);
    }
  }

  #spill(records: UsageRecord[]): void {
    this.#mayHaveSpilled = true;
    if (this.options.spill.pendingCount > this.#limits.maxSpilling) {
      this.options.events.dropped(records.length, "neither the database nor the disk takes records");
      return;
    }
    this.options.spill.append(records).then(
      () => this.options.events.spilled(records.length),
      () => this.options.events.dropped(records.length, "the local file cannot be written"),
    );
  }

  #spillNow(records: UsageRecord[]): void {
    try {
      this.options.spill.appendNow(records);
      this.options.events.spilled(records.length);
    } catch {
      this.options.events.dropped(records.length, "the local file cannot be written");
    }
  }
}
