/**
 * Finds the text a model will read inside a request body and counts it, in the same single pass that checks the JSON.
 * What counts as text, and what each piece weighs, is the rule of `docs/token-estimate.md`; the sums are turned into an
 * estimate by `token-estimate.ts`.
 */
import { charactersRead, countCharacters, type JsonCursor } from "./json-cursor";

/** Tokens in one piece of text; given the raw JSON text between quotes and a way to decode it. */
export type PieceCounter = (cursor: JsonCursor) => number;

/** Tokens an image is taken to cost, whatever its size. */
export const IMAGE_TOKENS = 765;

/** Tokens each message costs besides its text. */
export const MESSAGE_TOKENS = 4;

/** Characters taken to make one token. */
export const CHARACTERS_PER_TOKEN = 4;

/** Levels of content inside content that are still looked into; deeper text is carried but not counted. */
const MAX_CONTENT_DEPTH = 32;

/** Pairs of byte offsets: one stretch of text after the other. */
export type TextRanges = number[];

/** Characters over four, rounded up. */
export const countByCharacters: PieceCounter = (cursor) => Math.ceil(charactersRead(cursor) / CHARACTERS_PER_TOKEN);

export class TextWalk {
  tokens = 0;
  /** Text of the system prompt and of the first user message, for deriving a session. */
  readonly systemText: TextRanges = [];
  readonly firstUserText: TextRanges = [];
  /** Where strings met now are noted; null while nobody asks. */
  #noting: TextRanges | null = null;

  constructor(
    private readonly cursor: JsonCursor,
    private readonly countPiece: PieceCounter,
    private readonly wantsSessionText: boolean,
  ) {}

  /** An array of messages, or of response items; other values are counted as text. */
  messages(): void {
    const cursor = this.cursor;
    if (!cursor.atArray()) {
      this.#note(this.firstUserText, () => this.#content(0));
      return;
    }
    if (!cursor.enterArray()) return;
    do {
      if (cursor.atObject()) this.#message();
      else this.#content(0);
    } while (cursor.nextElement());
  }

  /** A system prompt: text, or blocks of text. */
  system(): void {
    this.#note(this.systemText, () => this.#content(0));
  }

  /** Text, a list of texts, or lists of token ids. */
  text(): void {
    this.#content(0);
  }

  /** A list of definitions, each counted by the characters of its JSON as sent. */
  definitions(): void {
    const cursor = this.cursor;
    if (!cursor.atArray()) {
      cursor.skipValue();
      return;
    }
    if (!cursor.enterArray()) return;
    do this.#rawPiece();
    while (cursor.nextElement());
  }

  #message(): void {
    this.tokens += MESSAGE_TOKENS;
    const noted: TextRanges | null = this.wantsSessionText && this.firstUserText.length === 0 ? [] : null;
    this.#noting = noted;
    const role = this.#members(0);
    this.#noting = null;
    if (noted === null || noted.length === 0) return;
    if (role === "user") this.firstUserText.push(...noted.slice(0, MAX_NOTED));
    else if (role === "system" || role === "developer") this.systemText.push(...noted.slice(0, MAX_NOTED));
  }

  /** Walks an object's members, counting those that hold text; returns its `role`. */
  #members(depth: number): string {
    const cursor = this.cursor;
    let role = "";
    if (!cursor.enterObject()) return role;
    do {
      cursor.readName();
      switch (cursor.shortText(MAX_NAME_BYTES)) {
        case "content":
        case "text":
        case "output":
        case "arguments":
        case "function":
        case "tool_calls":
          this.#content(depth + 1);
          break;
        case "input":
          if (cursor.atObject()) this.#rawPiece();
          else this.#content(depth + 1);
          break;
        case "role":
          role = this.#word();
          break;
        case "type":
          if (isImage(this.#word())) this.tokens += IMAGE_TOKENS;
          break;
        default:
          cursor.skipValue();
      }
    } while (cursor.nextMember());
    return role;
  }

  #content(depth: number): void {
    const cursor = this.cursor;
    if (cursor.atString()) {
      cursor.readString();
      this.tokens += this.countPiece(cursor);
      this.#noting?.push(cursor.textStart, cursor.textEnd);
    } else if (depth > MAX_CONTENT_DEPTH) {
      cursor.skipValue();
    } else if (cursor.atArray()) {
      if (!cursor.enterArray()) return;
      do this.#content(depth + 1);
      while (cursor.nextElement());
    } else if (cursor.atObject()) {
      this.#members(depth);
    } else {
      if (cursor.atNumber()) this.tokens += 1;
      cursor.skipValue();
    }
  }

  /** A value counted by the characters it is written with. */
  #rawPiece(): void {
    const cursor = this.cursor;
    cursor.peek();
    const start = cursor.pos;
    cursor.skipValue();
    const { pos, bytes, isAscii } = cursor;
    this.tokens += Math.ceil(
      (isAscii && !bytes.subarray(start, pos).includes(BACKSLASH) ? pos - start : countCharacters(bytes, start, pos)) /
        CHARACTERS_PER_TOKEN,
    );
  }

  /** A short string, or "" for anything else. */
  #word(): string {
    const cursor = this.cursor;
    if (!cursor.atString()) {
      cursor.skipValue();
      return "";
    }
    cursor.readString();
    return cursor.shortText(MAX_NAME_BYTES);
  }

  #note(ranges: TextRanges, walk: () => void): void {
    this.#noting = this.wantsSessionText && ranges.length === 0 ? ranges : null;
    walk();
    this.#noting = null;
  }
}

const BACKSLASH = 0x5c;

/** Longest member name or type that can matter. */
const MAX_NAME_BYTES = 16;

/** Most offsets kept per message: the hash reads only the beginning. */
const MAX_NOTED = 64;

function isImage(type: string): boolean {
  return type === "image_url" || type === "input_image" || type === "image";
}
