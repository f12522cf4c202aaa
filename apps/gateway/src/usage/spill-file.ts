/**
 * Usage records that could not go to the database yet, one JSON object a line in a local file. Appended to while the
 * database is away, read back afterwards. Being read, the file has another name, so that new records never meet old ones;
 * reading it twice is harmless, because rows are inserted by request id.
 */
import { closeSync, createReadStream, fsyncSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { appendFile, open, rename, stat, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import type { UsageRecord } from "./usage-record";

export class SpillFile {
  readonly #path: string;
  readonly #replayPath: string;
  #appending: Promise<unknown> = Promise.resolve();
  #pendingLines = 0;

  constructor(path: string) {
    this.#path = path;
    this.#replayPath = `${path}.replay`;
    mkdirSync(dirname(path), { recursive: true });
  }

  /** Records handed over that are not on disk yet. */
  get pendingCount(): number {
    return this.#pendingLines;
  }

  /** Rejects when the disk does not take them. */
  append(records: readonly UsageRecord[]): Promise<void> {
    const text = linesOf(records);
    this.#pendingLines += records.length;
    const written = this.#appending.then(() => appendFile(this.#path, text, { mode: 0o600 }));
    this.#appending = written.catch(() => {});
    return written.finally(() => {
      this.#pendingLines -= records.length;
    });
  }

  /** The same, done when this returns: for the last moments of a process. */
  appendNow(records: readonly UsageRecord[]): void {
    const file = openSync(this.#path, "a", 0o600);
    try {
      writeFileSync(file, linesOf(records));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }

  async hasRecords(): Promise<boolean> {
    return (await exists(this.#replayPath)) || (await exists(this.#path));
  }

  /**
   * Hands every record to `insert`, in batches, and removes the file when all are in. Stops at the first batch that fails
   * and keeps the file. Lines cut off by a crash are passed over; returns how many.
   */
  async replay(insert: (batch: UsageRecord[]) => Promise<unknown>, batchSize: number): Promise<number> {
    await this.#appending;
    if (!(await exists(this.#replayPath))) {
      if (!(await exists(this.#path))) return 0;
      await rename(this.#path, this.#replayPath);
    }
    let unreadable = 0;
    let batch: UsageRecord[] = [];
    const lines = createInterface({ input: createReadStream(this.#replayPath), crlfDelay: Number.POSITIVE_INFINITY });
    for await (const line of lines) {
      const record = parsed(line);
      if (record === null) unreadable += line.trim() === "" ? 0 : 1;
      else batch.push(record);
      if (batch.length < batchSize) continue;
      await insert(batch);
      batch = [];
    }
    if (batch.length > 0) await insert(batch);
    await unlink(this.#replayPath);
    return unreadable;
  }

  /** Waits for what has been handed over. */
  async flushed(): Promise<void> {
    await this.#appending;
    if (!(await exists(this.#path))) return;
    const file = await open(this.#path, "r+");
    await file.sync().finally(() => file.close());
  }
}

/** Begins with a line break: what is there may end in a line that a crash or a full disk cut off. */
function linesOf(records: readonly UsageRecord[]): string {
  return `\n${records.map((record) => `${JSON.stringify(record)}\n`).join("")}`;
}

function parsed(line: string): UsageRecord | null {
  try {
    const record: unknown = JSON.parse(line);
    return isRecord(record) ? record : null;
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is UsageRecord {
  return value !== null && typeof value === "object" && "requestId" in value && typeof value.requestId === "string";
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
