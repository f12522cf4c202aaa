/** Password hashing with argon2id, at most a few at a time: each takes 19 MiB and a core for tens of milliseconds. */
import { hash, verify } from "@node-rs/argon2";
import { Fault } from "../http/fault";

/** OWASP's minimum for argon2id: 19 MiB, two passes, one lane. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** More sign-ins than this at once are refused; it bounds memory to about 160 MiB. */
const MAX_AT_ONCE = 8;
/** Checked when there is no such user, so that the answer takes as long. */
const NOBODY_HASH = "$argon2id$v=19$m=19456,t=2,p=1$wUGYkef0qM4CGxLNHl8pzQ$Dw5SIqB/rS/386nV3tjTQZb3KtTll879i4oQUDIM0qQ";

export class Passwords {
  #running = 0;

  hash(password: string): Promise<string> {
    return this.#limited(() => hash(password, OPTIONS));
  }

  /** False for a wrong password and for a user without one, after the same time. */
  matches(password: string, stored: string | null): Promise<boolean> {
    return this.#limited(async () => (await verify(stored ?? NOBODY_HASH, password)) && stored !== null);
  }

  async #limited<Value>(work: () => Promise<Value>): Promise<Value> {
    if (this.#running >= MAX_AT_ONCE) {
      throw new Fault("too_many_attempts", "Too many sign-ins at once.", { retryAfterSecs: 1 });
    }
    this.#running++;
    try {
      return await work();
    } finally {
      this.#running--;
    }
  }
}
