/**
 * Puts the parts of an answer into the blocks of a message stream, which follow one another: each closes before the
 * next opens. A chat stream may send parts of several tool calls in turns, so one block at a time is open and passes
 * its parts on as they come, and later ones keep theirs until it closes: text when anything else begins, a call when
 * its arguments are a complete JSON value, and whatever is left at the end. What is kept has a bound.
 */
import { JsonExtent } from "./json-extent";
import { isObject, type JsonObject, stringOr } from "./json-shape";
import { TooMuchToKeep, Untranslatable } from "./message-answer";

/**
 * Most that waits for earlier blocks: characters, and an overhead for each part. A long file written by a tool fits.
 */
const MAX_KEPT = 4 * 1024 * 1024;
/** What a part costs beside its text, in characters: many small ones must not pass the bound unseen. */
const PART_OVERHEAD = 32;
/** Most tool calls in one answer; each is remembered to the end. */
const MAX_CALLS = 1024;

interface TextBlock {
  readonly kind: "text";
  readonly kept: string[];
}

interface CallBlock {
  readonly kind: "call";
  id: string;
  name: string;
  readonly kept: string[];
  readonly extent: JsonExtent;
  isClosed: boolean;
}

type Block = TextBlock | CallBlock;

export type EmitEvent = (type: string, fields: JsonObject) => void;

export class MessageBlocks {
  /** Of the block that opened last. */
  #index = -1;
  #open: Block | null = null;
  /** In the order in which they began. */
  readonly #waiting: Block[] = [];
  #keptSize = 0;
  /** The latest call under each index that the server counts by. */
  readonly #calls = new Map<number, CallBlock>();
  #callCount = 0;
  #lastIndex = 0;

  /** `newCallId` names the n-th call when its server does not. */
  constructor(
    private readonly emit: EmitEvent,
    private readonly newCallId: (n: number) => string,
  ) {}

  text(text: string): void {
    let block = this.#open?.kind === "text" ? this.#open : this.#waiting.find((waiting) => waiting.kind === "text");
    if (block === undefined) {
      block = { kind: "text", kept: [] };
      this.#waiting.push(block);
    }
    this.#add(block, text);
  }

  /** One entry of `delta.tool_calls`. Throws `Untranslatable`. */
  callPart(part: JsonObject): void {
    const target = isObject(part.function) ? part.function : {};
    const call = this.#callOf(part, target);
    if (call.id === "") call.id = stringOr(part.id, "");
    if (call.name === "") call.name = stringOr(target.name, "");
    this.#add(call, stringOr(target.arguments, ""));
  }

  /** Sends what waits and closes the last block. */
  finish(): void {
    this.#close();
    for (const block of this.#waiting.splice(0)) {
      this.#begin(block);
      this.#close();
    }
  }

  /**
   * The call that a part belongs to. Servers count calls from 0; some leave the index out or always send 0, so a part
   * with a name and another id begins a call of its own.
   */
  #callOf(part: JsonObject, target: JsonObject): CallBlock {
    const index = typeof part.index === "number" ? part.index : this.#lastIndex;
    this.#lastIndex = index;
    const known = this.#calls.get(index);
    if (known !== undefined && !isAnother(known, part, target)) return known;
    if (++this.#callCount > MAX_CALLS) throw new TooMuchToKeep(`more than ${MAX_CALLS} tool calls`);
    const call: CallBlock = { kind: "call", id: "", name: "", kept: [], extent: new JsonExtent(), isClosed: false };
    this.#calls.set(index, call);
    this.#waiting.push(call);
    return call;
  }

  #add(block: Block, text: string): void {
    if (block.kind === "call") block.extent.push(text);
    if (block === this.#open) this.#delta(block, text);
    else if (block.kind === "text" || !block.isClosed) this.#keep(block, text);
    else if (text.trim() !== "") throw new Untranslatable("arguments for a tool call whose arguments were complete");
    this.#advance();
  }

  #keep(block: Block, text: string): void {
    if (text === "") return;
    this.#keptSize += text.length + PART_OVERHEAD;
    if (this.#keptSize > MAX_KEPT) throw new TooMuchToKeep(`more than ${MAX_KEPT} characters of mixed parts`);
    block.kept.push(text);
  }

  /**
   * Opens the next block when the open one has all it can get. A call's name stands at its start, so it waits for that.
   */
  #advance(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const open = this.#open;
      if (open?.kind === "call" && !open.extent.isComplete) return;
      if (next.kind === "call" && next.name === "") return;
      this.#close();
      this.#waiting.shift();
      this.#begin(next);
    }
  }

  #begin(block: Block): void {
    this.#open = block;
    this.#index++;
    this.emit("content_block_start", { index: this.#index, content_block: this.#startOf(block) });
    const text = block.kept.join("");
    this.#keptSize -= text.length + block.kept.length * PART_OVERHEAD;
    block.kept.length = 0;
    this.#delta(block, text);
  }

  #startOf(block: Block): JsonObject {
    if (block.kind === "text") return { type: "text", text: "" };
    const id = block.id === "" ? this.newCallId(this.#index) : block.id;
    return { type: "tool_use", id, name: block.name, input: {} };
  }

  #delta(block: Block, text: string): void {
    if (text === "") return;
    const delta =
      block.kind === "text" ? { type: "text_delta", text } : { type: "input_json_delta", partial_json: text };
    this.emit("content_block_delta", { index: this.#index, delta });
  }

  #close(): void {
    const open = this.#open;
    if (open === null) return;
    if (open.kind === "call") open.isClosed = true;
    this.#open = null;
    this.emit("content_block_stop", { index: this.#index });
  }
}

/** The id alone does not tell: some servers make a new one up for every part. */
function isAnother(known: CallBlock, part: JsonObject, target: JsonObject): boolean {
  const id = stringOr(part.id, "");
  return known.id !== "" && id !== "" && id !== known.id && stringOr(target.name, "") !== "";
}
