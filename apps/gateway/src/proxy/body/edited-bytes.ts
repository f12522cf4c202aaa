/**
 * Bytes that go out with a few of them replaced, now in one way, now in another, and are kept once all the same: what was
 * replaced is remembered instead of the original.
 */
import type { ByteRange } from "./scan-call";

export interface Replacement extends ByteRange {
  readonly bytes: Buffer;
}

export class EditedBytes {
  #bytes: Buffer;
  /** What leads back to the original; in order. */
  #undo: readonly Replacement[] = [];
  #edits = "";

  constructor(original: Buffer) {
    this.#bytes = original;
  }

  /** Put together again where edits are in force. */
  get original(): Buffer {
    return this.with("", NO_EDITS);
  }

  /**
   * The bytes with the replacements made that `replacements` wants in the original: the very same buffer as long as `edits`
   * is the same; "" stands for none.
   */
  with(edits: string, replacements: (original: Buffer) => Replacement[]): Buffer {
    if (edits === this.#edits) return this.#bytes;
    if (this.#undo.length > 0) this.#replace(this.#undo);
    this.#undo = NONE;
    if (edits !== "") this.#undo = this.#replace(replacements(this.#bytes).sort((a, b) => a.start - b.start));
    this.#edits = edits;
    return this.#bytes;
  }

  /** Returns what undoes it. */
  #replace(replacements: readonly Replacement[]): Replacement[] {
    const pieces: Buffer[] = [];
    const undo: Replacement[] = [];
    let copied = 0;
    let shift = 0;
    for (const { start, end, bytes } of replacements) {
      pieces.push(this.#bytes.subarray(copied, start), bytes);
      undo.push({
        start: start + shift,
        end: start + shift + bytes.length,
        bytes: Buffer.from(this.#bytes.subarray(start, end)),
      });
      shift += bytes.length - (end - start);
      copied = end;
    }
    pieces.push(this.#bytes.subarray(copied));
    this.#bytes = Buffer.concat(pieces);
    return undo;
  }
}

const NONE: readonly Replacement[] = [];
const NO_EDITS = (): Replacement[] => [];
