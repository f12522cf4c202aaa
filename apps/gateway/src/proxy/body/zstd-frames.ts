/**
 * What decoding a zstd body would take, read off its frames and blocks before anything is decoded. The decoder sets a
 * frame's whole window aside and moves it with every block, so that a few bytes could cost gigabytes and seconds.
 */

/** Largest window of the `zstd` content coding, as RFC 9659 has it. */
export const MAX_WINDOW_BYTES = 8 * 1024 * 1024;

/** Window bytes moved in one turn of the event loop: some ten ms. */
const BYTES_PER_TURN = 128 * 1024 * 1024;
/**
 * Window bytes moved in all, as a multiple of the longest body: twice what the longest one takes at the widest window in
 * blocks as long as encoders make them.
 */
const MOVED_PER_BYTE = 128;

const MAGIC = 0xfd2fb528;
const SKIPPABLE = 0x184d2a5;

export type ZstdPlan =
  /** Ends of the pieces to decode in a turn each. */
  | { readonly kind: "pieces"; readonly ends: readonly number[] }
  | { readonly kind: "malformed" }
  | { readonly kind: "too-wide" };

/** How to decode these bytes. Cost is linear in the number of blocks. */
export function zstdPlan(encoded: Buffer, maxBytes: number): ZstdPlan {
  const ends: number[] = [];
  let moved = 0;
  let movedBefore = 0;
  let pos = 0;
  while (pos < encoded.length) {
    const frame = frameAt(encoded, pos);
    if (frame === null) return { kind: "malformed" };
    if (frame.windowBytes > MAX_WINDOW_BYTES) return { kind: "too-wide" };
    pos = frame.blocksAt;
    moved += frame.windowBytes;
    for (let isLast = frame.isSkippable; !isLast; moved += frame.windowBytes) {
      if (pos + 3 > encoded.length) return { kind: "malformed" };
      const header = encoded.readUIntLE(pos, 3);
      isLast = (header & 1) === 1;
      pos += 3 + (((header >> 1) & 3) === RLE ? 1 : header >> 3);
      if (moved - movedBefore < BYTES_PER_TURN) continue;
      ends.push(Math.min(pos, encoded.length));
      movedBefore = moved;
    }
    if (moved > MOVED_PER_BYTE * Math.max(maxBytes, MAX_WINDOW_BYTES)) return { kind: "too-wide" };
    pos += frame.checksumBytes;
  }
  if (pos > encoded.length) return { kind: "malformed" };
  if (ends.at(-1) !== encoded.length) ends.push(encoded.length);
  return { kind: "pieces", ends };
}

const RLE = 1;

interface Frame {
  readonly windowBytes: number;
  readonly blocksAt: number;
  readonly checksumBytes: number;
  readonly isSkippable: boolean;
}

/** RFC 8878, sections 3.1.1.1 and 3.1.2. */
function frameAt(encoded: Buffer, at: number): Frame | null {
  if (at + 6 > encoded.length) return null;
  const magic = encoded.readUInt32LE(at);
  if (magic >>> 4 === SKIPPABLE) {
    if (at + 8 > encoded.length) return null;
    const blocksAt = at + 8 + encoded.readUInt32LE(at + 4);
    return { windowBytes: 0, blocksAt, checksumBytes: 0, isSkippable: true };
  }
  if (magic !== MAGIC) return null;
  const flags = encoded[at + 4] as number;
  const isSingle = (flags & 0x20) !== 0;
  const sizeBytes = SIZE_BYTES[flags >> 6] || (isSingle ? 1 : 0);
  const dictionaryBytes = DICTIONARY_BYTES[flags & 3] as number;
  const sizeAt = at + (isSingle ? 5 : 6) + dictionaryBytes;
  const blocksAt = sizeAt + sizeBytes;
  if (blocksAt > encoded.length) return null;
  const windowBytes = isSingle ? contentBytes(encoded, sizeAt, sizeBytes) : windowOf(encoded[at + 5] as number);
  return { windowBytes, blocksAt, checksumBytes: (flags & 4) === 0 ? 0 : 4, isSkippable: false };
}

const SIZE_BYTES = [0, 2, 4, 8];
const DICTIONARY_BYTES = [0, 1, 2, 4];

function contentBytes(encoded: Buffer, at: number, length: number): number {
  if (length === 8) return Number(encoded.readBigUInt64LE(at));
  return encoded.readUIntLE(at, length) + (length === 2 ? 256 : 0);
}

function windowOf(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}
