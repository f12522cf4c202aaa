/**
 * Keeps the books of boosts that have run out: marks them ended, audits it and tells every cache. Admission goes by the
 * boost's own expiry and never waits for this. Every replica may run one; each end is written once.
 */
import type { Clock, Timer } from "@obleth/clock";
import { type Db, endExpiredBoosts } from "@obleth/db";
import type { ManagementLog } from "../deps";

/** How often it looks: the longest the audit log is behind. One indexed read each time. */
const INTERVAL_MS = 2_000;

export class BoostSweeper {
  readonly #options: { readonly db: Db; readonly clock: Clock; readonly log: ManagementLog };
  #timer: Timer | undefined;
  #running: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: { readonly db: Db; readonly clock: Clock; readonly log: ManagementLog }) {
    this.#options = options;
  }

  start(): void {
    if (this.#isClosed) return;
    this.#timer = this.#options.clock.setTimer(INTERVAL_MS, () => {
      this.#running = this.sweep().finally(() => this.start());
    });
  }

  /** Looks once. Never rejects: a database that is away is asked again next time. */
  async sweep(): Promise<void> {
    const { db, clock, log } = this.#options;
    try {
      const ended = await endExpiredBoosts(db, clock.wallMs());
      if (ended > 0) log.info({ ended }, "boosts.expired");
    } catch (error) {
      log.warn({ name: error instanceof Error ? error.name : "unknown" }, "boosts.sweep_failed");
    }
  }

  /** Stops looking and waits for a look that is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.#running;
  }
}
