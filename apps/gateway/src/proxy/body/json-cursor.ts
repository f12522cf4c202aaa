/**
 * Walks JSON text in place, without building values. The request path uses it to find a few fields in a body that is
 * forwarded as received. Accepts exactly the grammar of RFC 8259 over bytes (invalid UTF-8 inside strings is passed over,
 * since the bytes are not ours to judge); anything else throws `MalformedJson` with the offset.
 *
 * Nesting is followed without recursion and to a depth that no request needs, so that it never costs the stack.
 */

import { isAscii } from "node:buffer";

export class MalformedJson extends Error {
  constructor(
    readonly offset: number,
    readonly expected: string,
  ) {
    super(`expected ${expected} at byte ${offset}`);
    this.name = "MalformedJson";
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const LOWER_U = 0x75;
const MINUS = 0x2d;

/**
 * Bytes of a string that are looked at one by one; beyond, the search hops from quote to quote, many times faster. Bare
 * control characters and unknown escapes that far inside a string are left for the backend to judge.
 */
const STEPPED_STRING_BYTES = 64;

/** Levels of nesting in a value that is stepped over. The JSON readers of model servers give up at about as many. */
export const MAX_NESTING = 1000;

/**
 * Values in a body, as far as they are told apart. Several times what the largest batch has that a model server takes
 * (300,000 token ids), and little enough that neither the walk nor a translation holds everybody else up for long.
 */
const MAX_VALUES = 1_000_000;

export class JsonCursor {
  pos = 0;
  /** Of the string read last: where its text starts and ends, quotes left out. */
  textStart = 0;
  textEnd = 0;
  /** Of the string read last: holds a backslash. */
  hasEscapes = false;
  #values = 0;
  /** Where the next backslash is, as far as searched; the length of the bytes when there is none. */
  #backslash = -1;

  /** No byte is part of a longer character. */
  readonly isAscii: boolean;

  constructor(readonly bytes: Buffer) {
    this.isAscii = isAscii(bytes);
  }

  /** The next byte that is not white space, or -1 at the end. Leaves `pos` on it. */
  peek(): number {
    const bytes = this.bytes;
    let pos = this.pos;
    let byte = bytes[pos];
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) byte = bytes[++pos];
    this.pos = pos;
    return byte ?? -1;
  }

  atString(): boolean {
    return this.peek() === QUOTE;
  }

  atObject(): boolean {
    return this.peek() === OPEN_OBJECT;
  }

  atArray(): boolean {
    return this.peek() === OPEN_ARRAY;
  }

  atNumber(): boolean {
    const byte = this.peek();
    return byte === MINUS || (byte >= 0x30 && byte <= 0x39);
  }

  /** Steps into an object; false when it is empty, in which case it has been left again. */
  enterObject(): boolean {
    return this.#enter(OPEN_OBJECT, CLOSE_OBJECT, "an object");
  }

  enterArray(): boolean {
    return this.#enter(OPEN_ARRAY, CLOSE_ARRAY, "an array");
  }

  /** Reads a member's name and its colon; the name's bytes are at `textStart`..`textEnd`. */
  readName(): void {
    if (this.peek() !== QUOTE) throw new MalformedJson(this.pos, "a name in double quotes");
    this.readString();
    if (this.peek() !== COLON) throw new MalformedJson(this.pos, "a colon");
    this.pos++;
  }

  /** After a member: true when another follows, false when the object ended. */
  nextMember(): boolean {
    return this.#next(CLOSE_OBJECT, "a comma or the object's end");
  }

  nextElement(): boolean {
    return this.#next(CLOSE_ARRAY, "a comma or the array's end");
  }

  /** The string at `pos`, checked; its text is at `textStart`..`textEnd`. */
  readString(): void {
    const bytes = this.bytes;
    let pos = this.pos + 1;
    let escapes = false;
    const stepLimit = pos + STEPPED_STRING_BYTES;
    this.textStart = pos;
    for (;;) {
      const byte = bytes[pos];
      if (byte === QUOTE) break;
      if (byte === BACKSLASH) {
        escapes = true;
        pos = this.#endOfEscape(pos);
      } else if (byte === undefined || byte < 0x20) {
        throw new MalformedJson(pos, "the end of a string");
      } else {
        pos++;
      }
      if (pos >= stepLimit) {
        escapes ||= this.#backslashFrom(pos) < bytes.indexOf(QUOTE, pos);
        pos = this.#closingQuote(pos);
        break;
      }
    }
    this.hasEscapes = escapes;
    this.textEnd = pos;
    this.pos = pos + 1;
  }

  /** The text read last, decoded. */
  text(): string {
    const raw = this.bytes.toString("utf8", this.textStart, this.textEnd);
    if (!this.hasEscapes) return raw;
    try {
      return JSON.parse(`"${raw}"`) as string;
    } catch {
      throw new MalformedJson(this.textStart, "a string with known escapes");
    }
  }

  /** The text read last when it is at most `maxBytes` long, else "": for comparing with known words. */
  shortText(maxBytes: number): string {
    if (this.hasEscapes) return this.textEnd - this.textStart > maxBytes * 6 ? "" : this.text();
    if (this.textEnd - this.textStart > maxBytes) return "";
    return this.bytes.toString("latin1", this.textStart, this.textEnd);
  }

  /** Steps over one value of any kind. */
  skipValue(): void {
    const closers: number[] = [];
    for (;;) {
      if (closers.length > MAX_NESTING) throw new MalformedJson(this.pos, `at most ${MAX_NESTING} levels of nesting`);
      const byte = this.peek();
      if (byte === OPEN_OBJECT && this.enterObject()) {
        closers.push(CLOSE_OBJECT);
        this.readName();
        continue;
      }
      if (byte === OPEN_ARRAY && this.enterArray()) {
        closers.push(CLOSE_ARRAY);
        continue;
      }
      if (byte === QUOTE) this.readString();
      else if (byte !== OPEN_OBJECT && byte !== OPEN_ARRAY) this.#skipScalar(byte);
      if (!this.#leaveFinished(closers)) return;
    }
  }

  /** The number at `pos`. */
  readNumber(): number {
    const start = this.pos;
    this.#skipNumber();
    return Number(this.bytes.toString("latin1", start, this.pos));
  }

  /** True when nothing but white space is left. */
  atEnd(): boolean {
    return this.peek() === -1;
  }

  /** After a value inside `closers`: goes on to the next one (true) or, when all are closed, returns false. */
  #leaveFinished(closers: number[]): boolean {
    for (;;) {
      const closer = closers[closers.length - 1];
      if (closer === undefined) return false;
      if (closer === CLOSE_OBJECT) {
        if (this.nextMember()) {
          this.readName();
          return true;
        }
      } else if (this.nextElement()) {
        return true;
      }
      closers.pop();
    }
  }

  #enter(open: number, close: number, what: string): boolean {
    if (this.peek() !== open) throw new MalformedJson(this.pos, what);
    this.#countValue();
    this.pos++;
    if (this.peek() !== close) return true;
    this.pos++;
    return false;
  }

  #next(close: number, what: string): boolean {
    const byte = this.peek();
    if (byte !== COMMA && byte !== close) throw new MalformedJson(this.pos, what);
    this.pos++;
    if (byte === close) return false;
    this.#countValue();
    return true;
  }

  #countValue(): void {
    if (++this.#values > MAX_VALUES) throw new MalformedJson(this.pos, "at most 1,000,000 values");
  }

  #endOfEscape(pos: number): number {
    const bytes = this.bytes;
    const kind = bytes[pos + 1];
    if (kind === LOWER_U) {
      for (let i = pos + 2; i < pos + 6; i++) {
        if (!isHexDigit(bytes[i])) throw new MalformedJson(i, "four hexadecimal digits");
      }
      return pos + 6;
    }
    if (kind === undefined || !isSimpleEscape(kind)) throw new MalformedJson(pos, "a known escape");
    return pos + 2;
  }

  #closingQuote(from: number): number {
    const bytes = this.bytes;
    for (let quote = bytes.indexOf(QUOTE, from); quote >= 0; quote = bytes.indexOf(QUOTE, quote + 1)) {
      if (this.#backslashFrom(from) > quote) return quote;
      let before = quote;
      while (before > from && bytes[before - 1] === BACKSLASH) before--;
      if ((quote - before) % 2 === 0) return quote;
    }
    throw new MalformedJson(bytes.length, "the end of a string");
  }

  /** The first backslash at or after `from`. Remembered, so that all searches together pass over the bytes once. */
  #backslashFrom(from: number): number {
    if (this.#backslash < from) {
      const found = this.bytes.indexOf(BACKSLASH, from);
      this.#backslash = found < 0 ? this.bytes.length : found;
    }
    return this.#backslash;
  }

  #skipScalar(byte: number): void {
    if (byte === MINUS || (byte >= 0x30 && byte <= 0x39)) this.#skipNumber();
    else if (byte === 0x74) this.#skipWord("true");
    else if (byte === 0x66) this.#skipWord("false");
    else if (byte === 0x6e) this.#skipWord("null");
    else throw new MalformedJson(this.pos, "a value");
  }

  #skipWord(word: string): void {
    const end = this.pos + word.length;
    if (this.bytes.toString("latin1", this.pos, end) !== word) throw new MalformedJson(this.pos, "a value");
    this.pos = end;
  }

  #skipNumber(): void {
    if (this.bytes[this.pos] === MINUS) this.pos++;
    if (this.bytes[this.pos] === 0x30) this.pos++;
    else this.#skipDigits();
    if (this.bytes[this.pos] === 0x2e) {
      this.pos++;
      this.#skipDigits();
    }
    const exponent = this.bytes[this.pos];
    if (exponent !== 0x65 && exponent !== 0x45) return;
    this.pos++;
    const sign = this.bytes[this.pos];
    if (sign === 0x2b || sign === MINUS) this.pos++;
    this.#skipDigits();
  }

  #skipDigits(): void {
    const start = this.pos;
    let byte = this.bytes[this.pos];
    while (byte !== undefined && byte >= 0x30 && byte <= 0x39) byte = this.bytes[++this.pos];
    if (this.pos === start) throw new MalformedJson(this.pos, "a digit");
  }
}

/** Characters in the string the cursor has read last. */
export function charactersRead({ bytes, textStart, textEnd, hasEscapes, isAscii }: JsonCursor): number {
  return isAscii && !hasEscapes ? textEnd - textStart : countCharacters(bytes, textStart, textEnd);
}

/**
 * Characters (Unicode scalar values) in JSON text between `start` and `end`: bytes that begin one, an escape counting
 * once and an escaped surrogate pair once.
 */
export function countCharacters(bytes: Buffer, start: number, end: number): number {
  let count = 0;
  let pos = start;
  while (pos < end) {
    const byte = bytes[pos] as number;
    if (byte !== BACKSLASH) {
      if ((byte & 0xc0) !== 0x80) count++;
      pos++;
      continue;
    }
    count++;
    if (bytes[pos + 1] !== LOWER_U) {
      pos += 2;
      continue;
    }
    pos += isEscapedPair(bytes, pos) ? 12 : 6;
  }
  return count;
}

function isEscapedPair(bytes: Buffer, pos: number): boolean {
  if (bytes[pos + 6] !== BACKSLASH || bytes[pos + 7] !== LOWER_U) return false;
  const high = Number.parseInt(bytes.toString("latin1", pos + 2, pos + 6), 16);
  const low = Number.parseInt(bytes.toString("latin1", pos + 8, pos + 12), 16);
  return high >= 0xd800 && high < 0xdc00 && low >= 0xdc00 && low < 0xe000;
}

function isHexDigit(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}

/** One of `" \ / b f n r t`. */
function isSimpleEscape(byte: number): boolean {
  return (
    byte === QUOTE ||
    byte === BACKSLASH ||
    byte === 0x2f ||
    byte === 0x62 ||
    byte === 0x66 ||
    byte === 0x6e ||
    byte === 0x72 ||
    byte === 0x74
  );
}
