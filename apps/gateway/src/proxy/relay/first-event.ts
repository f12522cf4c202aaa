/**
 * Sees the first event of a stream that says something, across any chunk edges: one with data, where comments have none and
 * a ping's says nothing. Looks at lines only until then.
 */

/** Longest beginning of a line that decides what it is. */
const LINE_BYTES = 64;
const LINE_FEED = 0x0a;

export class FirstEvent {
  /** The beginning of the line under way. */
  #line = "";
  #isPing = false;

  /** Whether it has begun with this chunk. */
  push(chunk: Buffer): boolean {
    for (let start = 0; start < chunk.length; ) {
      const end = chunk.indexOf(LINE_FEED, start);
      const stop = end < 0 ? chunk.length : end;
      const room = LINE_BYTES - this.#line.length;
      this.#line += chunk.toString("latin1", start, Math.min(stop, start + room));
      if (this.#hasBegun(end >= 0)) return true;
      if (end >= 0) this.#line = "";
      start = stop + 1;
    }
    return false;
  }

  #hasBegun(isWhole: boolean): boolean {
    const line = this.#line;
    if (line.startsWith("event:") && isWhole) this.#isPing = PING_NAME.test(line);
    if (isWhole && (line === "" || line === "\r")) this.#isPing = false;
    if (!line.startsWith("data:") || this.#isPing) return false;
    // A ping without a name shows in what its data begins with.
    return (isWhole || line.length === LINE_BYTES) && !PING_DATA.test(line);
  }
}

const PING_NAME = /^event:\s*ping\s*$/;
const PING_DATA = /^data:\s*\{\s*"type"\s*:\s*"ping"/;
