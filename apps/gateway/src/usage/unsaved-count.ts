/**
 * How many usage records exist only in this process's memory, kept in a small file so that it outlives a kill: the next
 * process to use the folder says how many were lost. Written ten times a second while it changes, so it may be that much
 * behind; records of a batch that was under way may be in the database all the same.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Clock, Timer } from "@obleth/clock";

const EVERY_MS = 100;

export interface UnsavedCountOptions {
  readonly file: string;
  readonly clock: Clock;
  /** Records in memory now. */
  readonly count: () => number;
}

export class UnsavedCount {
  readonly #options: UnsavedCountOptions;
  #written = 0;
  #timer: Timer;

  constructor(options: UnsavedCountOptions) {
    this.#options = options;
    this.#timer = this.#later();
  }

  /** What a process that was killed left behind, whose file is removed; 0 when it stopped in order. */
  static takeLeftBehind(file: string): number {
    try {
      const count = Number(readFileSync(file, "utf8"));
      rmSync(file);
      return Number.isSafeInteger(count) && count > 0 ? count : 0;
    } catch {
      return 0;
    }
  }

  /** For a stop in order: nothing is unsaved any more. */
  stop(): void {
    this.#timer.cancel();
    rmSync(this.#options.file, { force: true });
  }

  #later(): Timer {
    return this.#options.clock.setTimer(EVERY_MS, () => {
      this.#write();
      this.#timer = this.#later();
    });
  }

  #write(): void {
    const count = this.#options.count();
    if (count === this.#written) return;
    try {
      writeFileSync(this.#options.file, String(count), { mode: 0o600 });
      this.#written = count;
    } catch {
      // A disk that takes nothing is reported by whoever needs it.
    }
  }
}
