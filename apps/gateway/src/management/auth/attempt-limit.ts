/**
 * Slows guessing of passwords: failures are counted per account and per address over a window, in this process. With
 * several gateways a guesser gets as many tries as there are gateways, which is still few.
 */
import type { Clock } from "@obleth/clock";
import { LRUCache } from "lru-cache";
import { Fault } from "../http/fault";

/** How long failures count, and so the longest a person who is locked out has to wait. */
const WINDOW_MS = 15 * 60_000;
/** Failures of one account from one address before it must wait. Low: people retry two or three times. */
const MAX_PER_PAIR = 8;
/** Failures of one account from anywhere. Higher, so that a stranger cannot lock a person out with a few tries. */
const MAX_PER_ACCOUNT = 60;
/** Failures from one address; the dashboard's server is one address for many people. */
const MAX_PER_ADDRESS = 300;
/** Counters kept; the least recently used is forgotten first. */
const MAX_COUNTERS = 20_000;

interface Counter {
  failures: number;
  readonly untilMs: number;
}

export class AttemptLimit {
  readonly #clock: Clock;
  readonly #counters = new LRUCache<string, Counter>({ max: MAX_COUNTERS });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Throws a `Fault` with the time to wait when there were too many failures. */
  check(attempt: { account: string; address: string }): void {
    for (const { key, max } of limitsOf(attempt)) {
      const counter = this.#live(key);
      if (counter === undefined || counter.failures < max) continue;
      const retryAfterSecs = Math.max(1, Math.ceil((counter.untilMs - this.#clock.monotonicMs()) / 1000));
      throw new Fault("too_many_attempts", "Too many failed attempts; wait before trying again.", { retryAfterSecs });
    }
  }

  failed(attempt: { account: string; address: string }): void {
    for (const { key } of limitsOf(attempt)) {
      const counter = this.#live(key) ?? { failures: 0, untilMs: this.#clock.monotonicMs() + WINDOW_MS };
      counter.failures++;
      this.#counters.set(key, counter);
    }
  }

  /** A success forgives the failures of that account from that address. */
  succeeded(attempt: { account: string; address: string }): void {
    const [pair] = limitsOf(attempt);
    if (pair !== undefined) this.#counters.delete(pair.key);
  }

  #live(key: string): Counter | undefined {
    const counter = this.#counters.get(key);
    return counter !== undefined && counter.untilMs > this.#clock.monotonicMs() ? counter : undefined;
  }
}

function limitsOf({ account, address }: { account: string; address: string }) {
  const who = account.toLowerCase();
  return [
    { key: `pair ${address} ${who}`, max: MAX_PER_PAIR },
    { key: `account ${who}`, max: MAX_PER_ACCOUNT },
    { key: `address ${address}`, max: MAX_PER_ADDRESS },
  ];
}
