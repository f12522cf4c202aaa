/**
 * Puts a body together from the pieces in which it arrives, copied into blocks. Each kept piece would cost a hundred bytes
 * and keep the whole read it came in, so that a body sent byte by byte took hundreds of times its length; and reads of many
 * bodies, kept side by side until each is whole, leave the allocator's heap full of holes that the system never gets back.
 */

/** From here on a piece is kept as it is, bytes: longer than what is read from a socket at once. */
const LARGE_PIECE = 256 * 1024;
const MIN_BLOCK = 4 * 1024;
/** Long enough to be taken from the system and given back to it by itself. */
const MAX_BLOCK = 1024 * 1024;

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
