/** Carries usage records to the database, and drops the days that are past their retention. */
import path from "node:path";
import type { Timer } from "@obleth/clock";
import { dropUsageBefore, ensureUsageDays, insertUsage, isBadValue } from "@obleth/db";
import { SpillFile } from "../usage/spill-file";
import { UnsavedCount } from "../usage/unsaved-count";
import { UsageRecorder } from "../usage/usage-recorder";
import type { Foundation } from "./foundation";

/** How long the last records may take to be written when the process stops; then they go to the local file. */
export const USAGE_FLUSH_MS = 5_000;
const DAY_MS = 86_400_000;
/** Often enough that a day's partition is there before its first row. */
const UPKEEP_MS = 3_600_000;
/** The database may be down at the time; then again soon. */
const RETRY_MS = 60_000;

export function makeUsageRecorder(foundation: Foundation, onDropped: (records: number) => void): UsageRecorder {
  const { database, clock, log, stateDir } = foundation;
  return new UsageRecorder({
    insert: (batch) => insertUsage(database.handle.db, batch),
    isRefusal: isBadValue,
    clock,
    spill: new SpillFile(path.join(stateDir, "usage-spill.jsonl")),
    events: {
      spilled: (count) => log.warn({ records: count }, "usage.spilled"),
      dropped: (count, reason) => {
        onDropped(count);
        log.error({ records: count, reason }, "usage.dropped");
      },
      insertFailed: (error) => log.warn({ err: error }, "usage.insert_failed"),
    },
  });
}

/** Says what a killed process lost, and keeps count for the next one; to be stopped after the recorder has closed. */
export function countUnsaved(
  { clock, log, stateDir }: Foundation,
  usage: UsageRecorder,
  onDropped: (records: number) => void,
): UnsavedCount {
  const file = path.join(stateDir, "usage-unsaved");
  const lost = UnsavedCount.takeLeftBehind(file);
  if (lost > 0) {
    onDropped(lost);
    log.error({ records: lost, reason: "the process was killed before it could write them" }, "usage.dropped");
  }
  return new UnsavedCount({ file, clock, count: () => usage.unsavedCount });
}

/**
 * Makes today's and tomorrow's partitions and drops old ones, now and every hour. Several replicas may do so at once.
 */
export class UsageUpkeep {
  #timer: Timer | undefined;
  #round: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(private readonly foundation: Foundation) {}

  /** One round, and the next one an hour later. Resolves when this one is over, however it went. */
  run(): Promise<void> {
    this.#round = this.#upkeep();
    return this.#round;
  }

  /** No further round; waits for the present one. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#round;
  }

  async #upkeep(): Promise<void> {
    const { database, clock, log, settings } = this.foundation;
    const today = Math.floor(clock.wallMs() / DAY_MS) * DAY_MS;
    let nextMs = UPKEEP_MS;
    try {
      await ensureUsageDays(database.handle.db, [today, today + DAY_MS]);
      const dropped = await dropUsageBefore(database.handle.db, today - settings.usageRetentionDays * DAY_MS);
      if (dropped.length > 0) log.info({ partitions: dropped }, "usage.retention_applied");
    } catch (error) {
      log.warn({ err: error }, "usage.upkeep_failed");
      nextMs = RETRY_MS;
    }
    if (!this.#isStopped) this.#timer = clock.setTimer(nextMs, () => void this.run());
  }
}
