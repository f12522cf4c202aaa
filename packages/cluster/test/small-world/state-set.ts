/**
 * A set of texts of which only a hash of 64 bits is kept: tens of millions fit. Two different texts with one hash, of which
 * the later would be missed, are to be expected once in several million searches of ten million states.
 */
export class StateSet {
  #low: Uint32Array;
  #high: Uint32Array;
  #size = 0;

  /** `capacity`: a power of two; it grows by itself. */
  constructor(capacity = 1 << 16) {
    this.#low = new Uint32Array(capacity);
    this.#high = new Uint32Array(capacity);
  }

  get size(): number {
    return this.#size;
  }

  /** True when the text was not in it before. */
  add(text: string): boolean {
    // Murmur's constants; the two halves begin and mix differently.
    let low = 0x9747b28c;
    let high = 0x1b873593;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      low = Math.imul(low ^ code, 0x5bd1e995);
      low ^= low >>> 15;
      high = Math.imul(high ^ code, 0x85ebca6b);
      high ^= high >>> 13;
    }
    // 0 marks an empty place.
    const isNew = this.#put(low >>> 0, (high | 1) >>> 0);
    if (isNew && ++this.#size * 2 > this.#low.length) this.#grow();
    return isNew;
  }

  #put(low: number, high: number): boolean {
    const mask = this.#low.length - 1;
    let at = (low ^ (high >>> 7)) & mask;
    while (this.#high[at] !== 0) {
      if (this.#high[at] === high && this.#low[at] === low) return false;
      at = (at + 1) & mask;
    }
    this.#low[at] = low;
    this.#high[at] = high;
    return true;
  }

  #grow(): void {
    const [lows, highs] = [this.#low, this.#high];
    this.#low = new Uint32Array(2 * lows.length);
    this.#high = new Uint32Array(2 * highs.length);
    for (const [i, high] of highs.entries()) if (high !== 0) this.#put(lows[i] ?? 0, high);
  }
}
