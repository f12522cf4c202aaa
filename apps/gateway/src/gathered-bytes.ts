/**
 * Puts a body together from the pieces in which it arrives. Large pieces are kept as they come; small ones are copied into
 * blocks, because each kept piece costs a hundred bytes and keeps the whole read it came in: a body sent byte by byte would
 * take hundreds of times its length.
 */

/** From here on a piece is kept as it is, bytes. */
const LARGE_PIECE = 16 * 1024;
const MIN_BLOCK = 4 * 1024;
const MAX_BLOCK = 64 * 1024;

export class GatheredBytes {
  #first: Buffer | null = null;
  #pieces: Buffer[] | null = null;
  #block: Buffer | null = null;
  #usedOfBlock = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(piece: Buffer): void {
    this.#size += piece.length;
    if (this.#first === null) {
      this.#first = piece;
      return;
    }
    this.#pieces ??= [this.#first];
    if (piece.length >= LARGE_PIECE) {
      this.#closeBlock();
      this.#pieces.push(piece);
    } else {
      this.#copy(piece);
    }
  }

  /** All of it; nothing is kept here any more. The very piece when there was only one. */
  takeWhole(): Buffer {
    this.#closeBlock();
    const whole = this.#pieces === null ? (this.#first ?? EMPTY) : Buffer.concat(this.#pieces, this.#size);
    this.drop();
    return whole;
  }

  drop(): void {
    this.#first = null;
    this.#pieces = null;
    this.#block = null;
    this.#size = 0;
  }

  #copy(piece: Buffer): void {
    let copied = 0;
    while (copied < piece.length) {
      if (this.#block === null) {
        this.#block = Buffer.allocUnsafeSlow(Math.min(MAX_BLOCK, Math.max(MIN_BLOCK, this.#size)));
        this.#usedOfBlock = 0;
      }
      const count = piece.copy(this.#block, this.#usedOfBlock, copied);
      copied += count;
      this.#usedOfBlock += count;
      if (this.#usedOfBlock === this.#block.length) this.#closeBlock();
    }
  }

  #closeBlock(): void {
    if (this.#block === null) return;
    this.#pieces?.push(this.#block.subarray(0, this.#usedOfBlock));
    this.#block = null;
  }
}

const EMPTY = Buffer.alloc(0);
