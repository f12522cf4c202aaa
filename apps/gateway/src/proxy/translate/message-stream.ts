/**
 * Turns the events of an OpenAI chat stream into those of an Anthropic message stream, one by one as they come. A message
 * stream is stricter: blocks follow one another and each is closed before the next opens, so what is open is remembered.
 */
import { anthropicErrorType } from "../../error-response";
import type { SseEvent } from "../../upstream/sse";
import { isObject, type JsonObject, objectsIn, stringOr } from "./json-shape";
import {
  type MessageIdentity,
  type MessageUsage,
  messageId,
  messageUsage,
  stopOf,
  Untranslatable,
} from "./message-answer";

type OpenBlock = { readonly kind: "text" } | { readonly kind: "tool"; readonly toolIndex: number };

export class MessageStream {
  #hasStarted = false;
  #hasStopped = false;
  #blockIndex = -1;
  #open: OpenBlock | null = null;
  readonly #toolsSeen = new Set<number>();
  #stop: ReturnType<typeof stopOf> | null = null;
  #usage: MessageUsage = messageUsage(null);
  #out: string[] = [];

  constructor(private readonly identity: MessageIdentity) {}

  /** The events for one chat event, as text. Throws `Untranslatable`. */
  push({ data }: SseEvent): string {
    if (data === null || this.#hasStopped) return "";
    if (data.trim() === "[DONE]") this.#finish();
    else this.#chunk(parsed(data));
    return this.#take();
  }

  /** Ends the message when the server has not said `[DONE]`. */
  end(): string {
    this.#finish();
    return this.#take();
  }

  #chunk(chunk: unknown): void {
    if (!isObject(chunk)) throw new Untranslatable("a stream event that is no JSON object");
    if ("error" in chunk && chunk.error !== null) {
      this.#fail(chunk.error);
      return;
    }
    this.#start();
    if (isObject(chunk.usage)) this.#usage = messageUsage(chunk.usage);
    const choice = objectsIn(chunk.choices)[0];
    if (choice === undefined) return;
    const delta = isObject(choice.delta) ? choice.delta : {};
    const text = stringOr(delta.content, stringOr(delta.refusal, ""));
    if (text !== "") this.#text(text);
    for (const call of objectsIn(delta.tool_calls)) this.#toolCall(call);
    if (typeof choice.finish_reason === "string") this.#stop = stopOf(choice);
  }

  #start(): void {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    this.#emit("message_start", {
      message: {
        id: messageId(this.identity.requestId),
        type: "message",
        role: "assistant",
        model: this.identity.model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: messageUsage(null),
      },
    });
  }

  #text(text: string): void {
    if (this.#open?.kind !== "text") this.#openBlock({ kind: "text" }, { type: "text", text: "" });
    this.#delta({ type: "text_delta", text });
  }

  #toolCall(call: JsonObject): void {
    const toolIndex = typeof call.index === "number" ? call.index : 0;
    const target = isObject(call.function) ? call.function : {};
    if (this.#open?.kind !== "tool" || this.#open.toolIndex !== toolIndex) {
      if (this.#toolsSeen.has(toolIndex)) throw new Untranslatable("parts of several tool calls mixed with each other");
      this.#toolsSeen.add(toolIndex);
      const id = stringOr(call.id, `call_${messageId(this.identity.requestId)}_${toolIndex}`);
      const block = { type: "tool_use", id, name: stringOr(target.name, ""), input: {} };
      this.#openBlock({ kind: "tool", toolIndex }, block);
    }
    const args = stringOr(target.arguments, "");
    if (args !== "") this.#delta({ type: "input_json_delta", partial_json: args });
  }

  #openBlock(open: OpenBlock, block: JsonObject): void {
    this.#closeBlock();
    this.#open = open;
    this.#blockIndex++;
    this.#emit("content_block_start", { index: this.#blockIndex, content_block: block });
  }

  #delta(delta: JsonObject): void {
    this.#emit("content_block_delta", { index: this.#blockIndex, delta });
  }

  #closeBlock(): void {
    if (this.#open === null) return;
    this.#open = null;
    this.#emit("content_block_stop", { index: this.#blockIndex });
  }

  #finish(): void {
    if (this.#hasStopped) return;
    this.#start();
    this.#closeBlock();
    const delta = this.#stop ?? { stop_reason: "end_turn", stop_sequence: null };
    this.#emit("message_delta", { delta, usage: this.#usage });
    this.#emit("message_stop", {});
    this.#hasStopped = true;
  }

  /** A server's error inside its stream ends the message as an error. */
  #fail(error: unknown): void {
    const status = isObject(error) && typeof error.code === "number" ? error.code : 500;
    const message = isObject(error) ? stringOr(error.message, "The model's server failed.") : String(error);
    this.#emit("error", { error: { type: anthropicErrorType(status), message } });
    this.#hasStopped = true;
  }

  #emit(type: string, fields: JsonObject): void {
    this.#out.push(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
  }

  #take(): string {
    const text = this.#out.join("");
    this.#out = [];
    return text;
  }
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw new Untranslatable("a stream event that is not JSON");
  }
}
