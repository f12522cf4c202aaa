/**
 * Reads what the gateway needs from a JSON request body in one pass over its bytes, top-level members only. The body is
 * not changed and no object is built from it. Whatever decides about access, routing or metering must be said once:
 * a member read here that appears twice is refused, because the backend might read the other one.
 */
import { JsonCursor, MalformedJson } from "./json-cursor";
import { countByCharacters, type PieceCounter, type TextRanges, TextWalk } from "./text-walk";

/** Where a value stands in the body. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface CallFields {
  readonly model: string;
  readonly modelAt: ByteRange;
  readonly stream: boolean;
  /** Null when the member is absent. */
  readonly streamOptionsAt: ByteRange | null;
  /** Largest of the output limits given, when it is a number from 1; else null. */
  readonly outputLimit: number | null;
  /** Tokens of all text that counts as input. */
  readonly inputTokens: number;
  /** First non-blank of the session fields, trimmed; null when the client names none. */
  readonly clientSession: string | null;
  readonly systemText: TextRanges;
  readonly firstUserText: TextRanges;
}

export type ScanResult =
  | { readonly kind: "call"; readonly fields: CallFields }
  | { readonly kind: "invalid"; readonly message: string; readonly param: string | null };

export interface ScanOptions {
  readonly countPiece?: PieceCounter;
  /** Whether to note the text that a session id is derived from. */
  readonly wantsSessionText?: boolean;
}

/** Longest model name that is looked up: registered ones have 200 characters at most. */
const MAX_MODEL_NAME_BYTES = 512;
/** Longest session label that is decoded; of a longer one the raw beginning is taken. */
const MAX_LABEL_BYTES = 1024;
/** Longest member name that can matter. */
const MAX_NAME_BYTES = 24;

/** Never throws; cost is linear in the body's length. */
export function scanCall(body: Buffer, options: ScanOptions = {}): ScanResult {
  const scan = new Scan(body, options);
  try {
    return scan.run();
  } catch (error) {
    if (error instanceof MalformedJson) {
      return invalid(`The request body is not valid JSON: expected ${error.expected} at byte ${error.offset}.`);
    }
    if (error instanceof UnusableField) return { kind: "invalid", message: error.message, param: error.param };
    throw error;
  }
}

function invalid(message: string): ScanResult {
  return { kind: "invalid", message, param: null };
}

class UnusableField extends Error {
  constructor(
    readonly param: string,
    message: string,
  ) {
    super(message);
    this.name = "UnusableField";
  }
}

/** Members the gateway reads; the position of each is its bit in the set of members seen. */
const MEMBERS = [
  "model",
  "stream",
  "stream_options",
  "max_tokens",
  "max_completion_tokens",
  "max_output_tokens",
  "messages",
  "prompt",
  "input",
  "system",
  "instructions",
  "tools",
  "functions",
  "query",
  "documents",
  "session_id",
  "metadata",
  "prompt_cache_key",
] as const;
type Member = (typeof MEMBERS)[number];
const BIT_OF = new Map<string, number>(MEMBERS.map((name, index) => [name, 1 << index]));

class Scan {
  readonly #cursor: JsonCursor;
  readonly #walk: TextWalk;
  #seen = 0;
  #model: string | null = null;
  #modelAt: ByteRange = { start: 0, end: 0 };
  #stream = false;
  #streamOptionsAt: ByteRange | null = null;
  #outputLimit: number | null = null;
  #sessionId: string | null = null;
  #metadataSession: string | null = null;
  #cacheKey: string | null = null;

  constructor(body: Buffer, options: ScanOptions) {
    this.#cursor = new JsonCursor(body);
    this.#walk = new TextWalk(this.#cursor, options.countPiece ?? countByCharacters, options.wantsSessionText ?? false);
  }

  run(): ScanResult {
    const cursor = this.#cursor;
    if (cursor.bytes.length === 0) return invalid("The request has no body. Send a JSON object with a model.");
    if (cursor.bytes[0] === 0xef)
      return invalid("The request body begins with a byte order mark. Send plain UTF-8 JSON.");
    if (!cursor.atObject()) return invalid("The request body is not a JSON object.");
    if (cursor.enterObject()) {
      do {
        cursor.readName();
        const name = cursor.shortText(MAX_NAME_BYTES);
        const bit = BIT_OF.get(name);
        if (bit === undefined) {
          cursor.skipValue();
          continue;
        }
        if ((this.#seen & bit) !== 0) throw new UnusableField(name, `The body gives "${name}" twice. Give it once.`);
        this.#seen |= bit;
        cursor.peek();
        this.#member(name as Member);
      } while (cursor.nextMember());
    }
    if (!cursor.atEnd()) return invalid("The request body goes on after the JSON object.");
    return this.#result();
  }

  #result(): ScanResult {
    if (this.#model === null) {
      return { kind: "invalid", message: 'The body names no model. Set "model" to a model\'s name.', param: "model" };
    }
    return {
      kind: "call",
      fields: {
        model: this.#model,
        modelAt: this.#modelAt,
        stream: this.#stream,
        streamOptionsAt: this.#streamOptionsAt,
        outputLimit: this.#outputLimit,
        inputTokens: this.#walk.tokens,
        clientSession: this.#sessionId ?? this.#metadataSession ?? this.#cacheKey,
        systemText: this.#walk.systemText,
        firstUserText: this.#walk.firstUserText,
      },
    };
  }

  #member(name: Member): void {
    switch (name) {
      case "model":
        this.#readModel();
        return;
      case "stream":
        this.#readStream();
        return;
      case "stream_options":
        this.#streamOptionsAt = this.#range();
        return;
      case "max_tokens":
      case "max_completion_tokens":
      case "max_output_tokens":
        this.#readOutputLimit();
        return;
      case "messages":
      case "input":
        this.#walk.messages();
        return;
      case "system":
      case "instructions":
        this.#walk.system();
        return;
      case "prompt":
      case "query":
      case "documents":
        this.#walk.text();
        return;
      case "tools":
      case "functions":
        this.#walk.definitions();
        return;
      case "session_id":
        this.#sessionId = this.#readLabel();
        return;
      case "prompt_cache_key":
        this.#cacheKey = this.#readLabel();
        return;
      case "metadata":
        this.#readMetadata();
        return;
    }
  }

  #range(): ByteRange {
    const start = this.#cursor.pos;
    this.#cursor.skipValue();
    return { start, end: this.#cursor.pos };
  }

  #readModel(): void {
    const cursor = this.#cursor;
    if (!cursor.atString()) throw new UnusableField("model", 'The "model" must be a string.');
    const start = cursor.pos;
    cursor.readString();
    const length = cursor.textEnd - cursor.textStart;
    if (length === 0) throw new UnusableField("model", 'The "model" is empty.');
    if (length > MAX_MODEL_NAME_BYTES) throw new UnusableField("model", 'The "model" is too long to be a name.');
    this.#model = cursor.text();
    this.#modelAt = { start, end: cursor.pos };
  }

  #readStream(): void {
    const start = this.#cursor.pos;
    this.#cursor.skipValue();
    const word = this.#cursor.bytes.toString("latin1", start, Math.min(this.#cursor.pos, start + 8));
    if (word !== "true" && word !== "false" && word !== "null") {
      throw new UnusableField("stream", '"stream" must be true or false.');
    }
    this.#stream = word === "true";
  }

  #readOutputLimit(): void {
    const cursor = this.#cursor;
    if (!cursor.atNumber()) {
      cursor.skipValue();
      return;
    }
    const limit = cursor.readNumber();
    if (limit >= 1) this.#outputLimit = Math.max(this.#outputLimit ?? 0, Math.ceil(limit));
  }

  /** A string's trimmed text; null when blank or not a string. */
  #readLabel(): string | null {
    const cursor = this.#cursor;
    if (!cursor.atString()) {
      cursor.skipValue();
      return null;
    }
    cursor.readString();
    const { textStart, textEnd, bytes } = cursor;
    const isLong = textEnd - textStart > MAX_LABEL_BYTES;
    const text = (isLong ? bytes.toString("utf8", textStart, textStart + MAX_LABEL_BYTES) : cursor.text()).trim();
    return text === "" ? null : text;
  }

  #readMetadata(): void {
    const cursor = this.#cursor;
    if (!cursor.atObject()) {
      cursor.skipValue();
      return;
    }
    if (!cursor.enterObject()) return;
    let direct: string | null = null;
    let embedded: string | null = null;
    do {
      cursor.readName();
      const name = cursor.shortText(MAX_NAME_BYTES);
      cursor.peek();
      if (name === "session_id") direct ??= this.#readLabel();
      else if (name === "user_id") embedded ??= sessionInUserId(this.#readLabel());
      else cursor.skipValue();
    } while (cursor.nextMember());
    this.#metadataSession = direct ?? embedded;
  }
}

/**
 * Coding agents put their session into Anthropic's `metadata.user_id`, either as `..._session_<id>` at its end or as a
 * JSON object with a `session_id`. A user id without one names no session.
 */
function sessionInUserId(userId: string | null): string | null {
  if (userId === null) return null;
  if (userId.startsWith("{")) {
    try {
      const parsed: unknown = JSON.parse(userId);
      const session =
        parsed !== null && typeof parsed === "object" && "session_id" in parsed ? parsed.session_id : null;
      return typeof session === "string" && session.trim() !== "" ? session.trim() : null;
    } catch {
      return null;
    }
  }
  const found = /(?:^|_)session_([A-Za-z0-9-]+)$/.exec(userId);
  return found?.[1] ?? null;
}
