/**
 * The wall clock of one process, set by the test while the process runs (libfaketime, which reads the offset from a file
 * at each look at the clock). Its monotonic clock goes on as it does.
 */
import { existsSync, renameSync, writeFileSync } from "node:fs";

export class FakeClock {
  #offsetSecs = 0;

  constructor(
    private readonly file: string,
    offsetSecs: number,
  ) {
    this.set(offsetSecs);
  }

  /** Ahead of the machine's clock, ms. */
  get offsetMs(): number {
    return this.#offsetSecs * 1000;
  }

  /** From now on so far ahead of the machine's clock; negative for behind. */
  set(offsetSecs: number): void {
    this.#offsetSecs = offsetSecs;
    const next = `${this.file}.next`;
    writeFileSync(next, `${offsetSecs < 0 ? "" : "+"}${offsetSecs}\n`);
    renameSync(next, this.file);
  }

  /** Of the process that is to have this clock. */
  get env(): Record<string, string> {
    const library = process.env.FAKETIME_LIB;
    if (library === undefined || !existsSync(library)) throw new Error("FAKETIME_LIB must name libfaketime.so.1");
    return {
      // The C library goes first: the allocator that Redis brings asks the time before it can be faked.
      LD_PRELOAD: `${library} libc.so.6`,
      FAKETIME_TIMESTAMP_FILE: this.file,
      FAKETIME_NO_CACHE: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    };
  }
}
