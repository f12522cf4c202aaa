/**
 * Who a secret belongs to, answered from memory. The cache is looked up by the secret as it came, so a hit costs no
 * hash; it is bounded, forgets the least recently used, and reads an entry again after `TTL_MS`.
 *
 * Rules that limits rest on: however many requests miss at once, the database is asked once; an answer whose look-up
 * began before a change is thrown away and asked for again; with the database away or silent, known keys go on working
 * and unknown ones are refused (`find` rejects).
 */
import type { Clock } from "@obleth/clock";
import { LRUCache } from "lru-cache";
import type { KeyDirectory, KeyRecord, PolicySource } from "./records";

/** Longest time a record is used without asking again. A backstop: changes evict at once. */
const TTL_MS = 300_000;
/** How long an unknown secret stays unknown. Short, because a key may be made right after it was tried. */
const NEGATIVE_TTL_MS = 5_000;
/** With the database away, how long before it is asked again for a record past its TTL. */
const STALE_RETRY_MS = 5_000;
/** How long a request waits for the database; a silent one must not hold it. */
const LOOKUP_MS = 5_000;
/** With the database silent, how long before a request waits for it again for a record past its TTL. */
const SILENT_RETRY_MS = 60_000;
/** Records kept; at about 1 KB each this is 50 MB at most. */
const MAX_KEYS = 50_000;
/** Unknown secrets kept; a flood of guesses forgets older guesses, never a real key. */
const MAX_UNKNOWN = 10_000;
/** Look-ups under way at once; beyond it a miss is refused rather than queued behind a database that lags. */
const MAX_LOOKUPS = 1_000;
/** Changes that may overtake one look-up before its answer is used without being kept. */
const MAX_OVERTAKEN = 5;
/** `sk_` and 24 bytes in lowercase hex; anything else is unknown without asking. */
const SECRET_PATTERN = /^sk_[0-9a-f]{48}$/;

interface Entry {
  readonly record: KeyRecord;
  freshUntilMs: number;
}

/** The database could not be asked and nothing is known. */
export class KeyLookupError extends Error {
  readonly code = "policy_unavailable";
}

class SilentDatabase extends Error {
  constructor() {
    super(`the database has not answered for ${LOOKUP_MS} ms`);
    this.name = "SilentDatabase";
  }
}

export interface KeyDirectoryOptions {
  readonly source: Pick<PolicySource, "loadKeyByHash">;
  readonly clock: Clock;
  /** Hex hash under which a secret is stored. */
  readonly hash: (secret: string) => string;
  /** Told when a record past its TTL is used because the database cannot be asked. */
  readonly onStale?: (error: unknown) => void;
}

export class CachedKeys implements KeyDirectory {
  readonly #entries = new LRUCache<string, Entry>({ max: MAX_KEYS });
  readonly #unknown = new LRUCache<string, number>({ max: MAX_UNKNOWN });
  readonly #lookups = new Map<string, Promise<KeyRecord | undefined>>();
  readonly #options: KeyDirectoryOptions;
  /** Rises with every change; a look-up that began under another number may carry an old record. */
  #changes = 0;

  constructor(options: KeyDirectoryOptions) {
    this.#options = options;
  }

  find(secret: string): KeyRecord | undefined | Promise<KeyRecord | undefined> {
    const entry = this.#entries.get(secret);
    const nowMs = this.#options.clock.monotonicMs();
    if (entry !== undefined && nowMs < entry.freshUntilMs) return entry.record;
    if (entry === undefined && (!SECRET_PATTERN.test(secret) || this.#isKnownUnknown(secret, nowMs))) return undefined;
    return this.#lookups.get(secret) ?? this.#lookUp(secret);
  }

  /** Forgets every record that `isAffected` and makes answers under way useless. Unknown secrets may be keys now. */
  evict(isAffected: (record: KeyRecord) => boolean): void {
    this.#changes++;
    this.#unknown.clear();
    for (const [secret, entry] of this.#entries.entries()) {
      if (isAffected(entry.record)) this.#entries.delete(secret);
    }
  }

  /** Changes may have been missed: every record is asked for again at its next use, and used if that fails. */
  expireAll(): void {
    this.#changes++;
    this.#unknown.clear();
    for (const entry of this.#entries.values()) entry.freshUntilMs = Number.NEGATIVE_INFINITY;
  }

  get size(): number {
    return this.#entries.size;
  }

  #isKnownUnknown(secret: string, nowMs: number): boolean {
    const untilMs = this.#unknown.get(secret);
    return untilMs !== undefined && nowMs < untilMs;
  }

  #lookUp(secret: string): Promise<KeyRecord | undefined> {
    if (this.#lookups.size >= MAX_LOOKUPS) {
      return this.#withoutDatabase(secret, new KeyLookupError("too many key look-ups under way"));
    }
    const lookup = this.#ask(secret).finally(() => this.#lookups.delete(secret));
    this.#lookups.set(secret, lookup);
    return lookup;
  }

  async #ask(secret: string): Promise<KeyRecord | undefined> {
    const hash = this.#options.hash(secret);
    for (let overtaken = 0; ; overtaken++) {
      const changesBefore = this.#changes;
      let record: KeyRecord | undefined;
      try {
        record = await this.#inTime(this.#options.source.loadKeyByHash(hash));
      } catch (error) {
        return this.#withoutDatabase(secret, error);
      }
      const isCurrent = changesBefore === this.#changes;
      if (isCurrent) this.#keep(secret, record);
      if (isCurrent || overtaken >= MAX_OVERTAKEN) return record;
    }
  }

  #inTime(answer: Promise<KeyRecord | undefined>): Promise<KeyRecord | undefined> {
    return new Promise((resolve, reject) => {
      const timer = this.#options.clock.setTimer(LOOKUP_MS, () => reject(new SilentDatabase()));
      answer.then(resolve, reject).finally(() => timer.cancel());
    });
  }

  #keep(secret: string, record: KeyRecord | undefined): void {
    const nowMs = this.#options.clock.monotonicMs();
    if (record === undefined) {
      this.#entries.delete(secret);
      this.#unknown.set(secret, nowMs + NEGATIVE_TTL_MS);
    } else {
      this.#entries.set(secret, { record, freshUntilMs: nowMs + TTL_MS });
    }
  }

  async #withoutDatabase(secret: string, cause: unknown): Promise<KeyRecord | undefined> {
    const entry = this.#entries.get(secret);
    if (entry === undefined) throw new KeyLookupError("the key cannot be looked up", { cause });
    const retryMs = cause instanceof SilentDatabase ? SILENT_RETRY_MS : STALE_RETRY_MS;
    entry.freshUntilMs = this.#options.clock.monotonicMs() + retryMs;
    this.#options.onStale?.(cause);
    return entry.record;
  }
}
