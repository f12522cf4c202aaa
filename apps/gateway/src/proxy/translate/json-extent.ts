/**
 * Follows a JSON object or array that comes in pieces, and knows when it is all there. Counts brackets outside of strings;
 * does not check the grammar. Anything else at the top (a number, a bare text) is never complete.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

export class JsonExtent {
  #depth = 0;
  #hasOpened = false;
  #isInString = false;
  #isEscaped = false;

  /** Takes the next piece. O(length). */
  push(piece: string): void {
    for (let at = 0; at < piece.length; at++) {
      const unit = piece.charCodeAt(at);
      if (this.#isInString) this.#inString(unit);
      else if (unit === QUOTE) this.#isInString = true;
      else if (OPENING.has(unit)) this.#depth++;
      else if (CLOSING.has(unit)) this.#depth--;
      this.#hasOpened ||= this.#depth > 0;
    }
  }

  /** Every bracket so far is closed again, and there was one. */
  get isComplete(): boolean {
    return this.#hasOpened && this.#depth === 0 && !this.#isInString;
  }

  #inString(unit: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (unit === BACKSLASH) this.#isEscaped = true;
    else if (unit === QUOTE) this.#isInString = false;
  }
}
