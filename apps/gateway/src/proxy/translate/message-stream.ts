/**
 * Turns the events of an OpenAI chat stream into those of an Anthropic message stream, one by one as they come: how a
 * message begins and ends, its usage and stop reason. Its blocks are `MessageBlocks`'.
 */
import { anthropicErrorType } from "../../error-response";
import type { SseEvent } from "../../upstream/sse";
import { isObject, type JsonObject, objectsIn, stringOr } from "./json-shape";
import {
  type MessageIdentity,
  type MessageUsage,
  messageId,
  messageUsage,
  newCallId,
  stopOf,
  Untranslatable,
} from "./message-answer";
import { MessageBlocks } from "./message-blocks";

export class MessageStream {
  #hasStarted = false;
  #hasStopped = false;
  readonly #blocks: MessageBlocks;
  #stop: ReturnType<typeof stopOf> | null = null;
  #usage: MessageUsage = messageUsage(null);
  #out: string[] = [];

  constructor(private readonly identity: MessageIdentity) {
    this.#blocks = new MessageBlocks(
      (type, fields) => this.#emit(type, fields),
      (n) => newCallId(identity.requestId, n),
    );
  }

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
    if (text !== "") this.#blocks.text(text);
    for (const part of objectsIn(delta.tool_calls)) this.#blocks.callPart(part);
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

  #finish(): void {
    if (this.#hasStopped) return;
    this.#start();
    this.#blocks.finish();
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
