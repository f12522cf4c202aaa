/**
 * Finds what a backend says it used, in an answer that passes by: every `"usage":{...}` object in the bytes is read, the
 * largest figures winning. Such bytes cannot come from model output, because inside a JSON string the quotes would be escaped.
 * Nothing is kept but the few bytes of an object that is cut by a chunk's edge.
 */
import { readUsage, type UsageFigures } from "./usage-figures";

const NEEDLE = Buffer.from('"usage"');
/** Longest usage object that is read; longer ones are passed over. */
const MAX_OBJECT_BYTES = 8 * 1024;

const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

export class UsageScanner {
  figures: UsageFigures | null = null;
  /** The end of the last chunk, from where a usage object may have begun. */
  #cut: Buffer | null = null;

  /** Looks at the next bytes. True when a usage object is in them or may be cut off at their end. */
  push(chunk: Buffer): boolean {
    if (this.#cut === null) {
      const at = chunk.indexOf(NEEDLE);
      if (at < 0) return this.#keepCutNeedle(chunk);
      return this.#read(chunk, at);
    }
    const joined = Buffer.concat([this.#cut, chunk]);
    this.#cut = null;
    const at = joined.indexOf(NEEDLE);
    return at < 0 ? this.#keepCutNeedle(joined) : this.#read(joined, at);
  }

  /** Reads every object from the needle at `at` on. */
  #read(bytes: Buffer, at: number): boolean {
    let found = false;
    for (let needle = at; needle >= 0; needle = bytes.indexOf(NEEDLE, needle + NEEDLE.length)) {
      const open = objectStart(bytes, needle + NEEDLE.length);
      if (open === NOT_AN_OBJECT) continue;
      const end = open === CUT ? CUT : objectEnd(bytes, open);
      if (end === CUT) {
        if (bytes.length - needle <= MAX_OBJECT_BYTES) this.#cut = Buffer.from(bytes.subarray(needle));
        return true;
      }
      found = true;
      this.#take(bytes, open, end);
    }
    return this.#keepCutNeedle(bytes) || found;
  }

  #take(bytes: Buffer, open: number, end: number): void {
    try {
      const usage: unknown = JSON.parse(bytes.toString("utf8", open, end));
      if (usage !== null && typeof usage === "object") {
        this.figures = readUsage(usage as Record<string, unknown>, this.figures);
      }
    } catch {
      // Not JSON after all: the answer passes on as it is and the request is charged by its estimate.
    }
  }

  /** The needle itself may be cut by the chunk's end. */
  #keepCutNeedle(bytes: Buffer): boolean {
    const last = bytes[bytes.length - 1];
    // Nearly every piece ends with an event's line feed.
    if (last === undefined || last === LINE_FEED || NEEDLE.indexOf(last) < 0) return false;
    for (let length = Math.min(NEEDLE.length - 1, bytes.length); length > 0; length--) {
      if (bytes.compare(NEEDLE, 0, length, bytes.length - length) === 0) {
        this.#cut = Buffer.from(bytes.subarray(bytes.length - length));
        return true;
      }
    }
    return false;
  }
}

/** Answers of `objectStart` that are no place. */
const CUT = -1;
const NOT_AN_OBJECT = -2;

/** Where the object after the name begins; `CUT` when the bytes end before that is known. */
function objectStart(bytes: Buffer, afterName: number): number {
  let hasColon = false;
  for (let pos = afterName; pos < bytes.length; pos++) {
    const byte = bytes[pos];
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) continue;
    if (byte === 0x3a && !hasColon) hasColon = true;
    else return byte === 0x7b && hasColon ? pos : NOT_AN_OBJECT;
  }
  return CUT;
}

/** The position after the object's closing brace; `CUT` when it is not in these bytes. */
function objectEnd(bytes: Buffer, open: number): number {
  let depth = 0;
  let isInString = false;
  for (let pos = open; pos < bytes.length; pos++) {
    const byte = bytes[pos];
    if (isInString) {
      if (byte === BACKSLASH) pos++;
      else if (byte === QUOTE) isInString = false;
    } else if (byte === QUOTE) {
      isInString = true;
    } else if (byte === 0x7b) {
      depth++;
    } else if (byte === 0x7d && --depth === 0) {
      return pos + 1;
    }
  }
  return CUT;
}
