/**
 * Takes the usage event that the gateway asked for out of a stream whose client did not ask for it. Every other byte
 * passes unchanged. Only an event cut by a chunk's edge is held back until its rest arrives, and only up to a bound.
 */
import { endsAtEventBoundary, eventEnd, parseEvent } from "../../upstream/sse";

/** Longest event that is looked at; a longer one passes unseen. */
const MAX_HELD_BYTES = 64 * 1024;

export class UsageEventFilter {
  #held: Buffer | null = null;
  /** In the middle of an event too long to hold. */
  #isPassing = false;

  /**
   * The bytes to send on, possibly none. `mayHoldUsage` is false when the chunk is known to hold no usage object, not even
   * a part of one.
   */
  push(chunk: Buffer, mayHoldUsage: boolean): Buffer | null {
    if (this.#held === null && !mayHoldUsage && !this.#isPassing && endsAtEventBoundary(chunk)) return chunk;
    const bytes = this.#held === null ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = null;
    return this.#filter(bytes);
  }

  /** What is still held when the stream ends. */
  end(): Buffer | null {
    const rest = this.#held;
    this.#held = null;
    return rest === null || isUsageEvent(rest) ? null : rest;
  }

  #filter(bytes: Buffer): Buffer | null {
    const kept: Buffer[] = [];
    let start = 0;
    let keptFrom = 0;
    for (let end = eventEnd(bytes, 0); end >= 0; end = eventEnd(bytes, start)) {
      const isDropped = !this.#isPassing && isUsageEvent(bytes.subarray(start, end));
      this.#isPassing = false;
      if (isDropped) {
        if (start > keptFrom) kept.push(bytes.subarray(keptFrom, start));
        keptFrom = end;
      }
      start = end;
    }
    const rest = bytes.length - start;
    if (rest > MAX_HELD_BYTES) this.#isPassing = true;
    const keptTo = this.#isPassing ? bytes.length : start;
    if (keptTo > keptFrom) kept.push(bytes.subarray(keptFrom, keptTo));
    if (rest > 0 && !this.#isPassing) this.#held = Buffer.from(bytes.subarray(start));
    return kept.length > 1 ? Buffer.concat(kept) : (kept[0] ?? null);
  }
}

const NEEDLE = Buffer.from('"usage"');

/** An event that brings usage figures and no choice: the one `include_usage` adds. */
function isUsageEvent(event: Buffer): boolean {
  if (!event.includes(NEEDLE)) return false;
  const { data } = parseEvent(event.toString("utf8"));
  if (data === null) return false;
  try {
    const chunk: unknown = JSON.parse(data);
    if (chunk === null || typeof chunk !== "object" || !("usage" in chunk)) return false;
    const hasChoices = "choices" in chunk && Array.isArray(chunk.choices) && chunk.choices.length > 0;
    return chunk.usage !== null && typeof chunk.usage === "object" && !hasChoices;
  } catch {
    return false;
  }
}
