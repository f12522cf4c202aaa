/**
 * Counts the bytes of request bodies that the process holds, from their first byte on the socket to the end of their
 * request, and says when there is no room for more. Without it the sum has no bound: each waiting request keeps its body.
 *
 * An eighth of the memory is kept for small bodies, so that a few huge ones do not turn away everybody's ordinary calls.
 */

/** Bodies up to this long may use all of the memory, bytes: a long conversation without pictures. */
const SMALL_BYTES = 64 * 1024;

/** Part of the memory that longer ones may fill. */
const LARGE_PART = 7 / 8;

export class BodyMemory {
  #heldBytes = 0;

  constructor(private readonly limitBytes: number) {}

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** One request's part, nothing yet. */
  open(): BodyHold {
    return new BodyHold(this);
  }

  /** Whether `bytes` more would fit, for somebody who then holds `ownBytes` in all. */
  hasRoomFor(bytes: number, ownBytes = bytes): boolean {
    const part = ownBytes <= SMALL_BYTES ? 1 : LARGE_PART;
    return this.#heldBytes + bytes <= this.limitBytes * part;
  }

  /** For `BodyHold` alone. */
  count(bytes: number): void {
    this.#heldBytes += bytes;
  }
}

/** What one request holds. */
export class BodyHold {
  #bytes = 0;
  #isClosed = false;

  constructor(private readonly memory: BodyMemory) {}

  /** Whether a body of that length would fit beside what is held; changes nothing. */
  hasRoomFor(bytes: number): boolean {
    return this.memory.hasRoomFor(bytes, this.#bytes + bytes);
  }

  /** Counts that many more. False, and nothing counted, when there is no room or the request has ended. */
  take(bytes: number): boolean {
    if (this.#isClosed || !this.hasRoomFor(bytes)) return false;
    this.#bytes += bytes;
    this.memory.count(bytes);
    return true;
  }

  /** That many of the taken ones are not held any more. */
  giveBack(bytes: number): void {
    if (this.#isClosed) return;
    this.#bytes -= bytes;
    this.memory.count(-bytes);
  }

  /** Nothing is held any more, nor will be. Harmless when repeated. */
  close(): void {
    this.giveBack(this.#bytes);
    this.#isClosed = true;
  }
}
