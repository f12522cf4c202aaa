/** Turns an OpenAI chat completion into an Anthropic message. */
import { countOr0, isObject, type JsonObject, objectsIn, stringOr } from "./json-shape";

/** The answer cannot be put into the caller's dialect. */
export class Untranslatable extends Error {
  constructor(message: string) {
    super(message);
    this.name = "Untranslatable";
  }
}

/** The answer may be sound, but putting it into the caller's dialect would take more memory than one answer may have. */
export class TooMuchToKeep extends Untranslatable {}

export interface MessageIdentity {
  /** The request's id, from which the message's is made. */
  readonly requestId: string;
  /** The model's name as the client gave it. */
  readonly model: string;
}

export interface MessageUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
}

/** The message for a complete chat completion. Throws `Untranslatable` when there is no choice in it. */
export function messageOf(completion: unknown, { requestId, model }: MessageIdentity): JsonObject {
  const choice = isObject(completion) ? objectsIn(completion.choices)[0] : undefined;
  if (choice === undefined || !isObject(completion)) throw new Untranslatable("a chat completion without a choice");
  const answer = isObject(choice.message) ? choice.message : {};
  return {
    id: messageId(requestId),
    type: "message",
    role: "assistant",
    model,
    content: [
      ...textBlocks(answer),
      ...objectsIn(answer.tool_calls).map((call, n) => toolUse(call, newCallId(requestId, n))),
    ],
    ...stopOf(choice),
    usage: messageUsage(completion.usage),
  };
}

export function messageId(requestId: string): string {
  return `msg_${requestId.replaceAll("-", "")}`;
}

/** The id of the n-th call of an answer whose server names none. */
export function newCallId(requestId: string, n: number): string {
  return `call_${messageId(requestId)}_${n}`;
}

/** `stop_reason` and `stop_sequence` for a choice that has ended. */
export function stopOf(choice: JsonObject): { stop_reason: string; stop_sequence: string | null } {
  // Some servers name the stop sequence that was met.
  const sequence = typeof choice.stop_reason === "string" ? choice.stop_reason : null;
  switch (choice.finish_reason) {
    case "length":
      return { stop_reason: "max_tokens", stop_sequence: null };
    case "tool_calls":
    case "function_call":
      return { stop_reason: "tool_use", stop_sequence: null };
    case "content_filter":
      return { stop_reason: "refusal", stop_sequence: null };
    default:
      return { stop_reason: sequence === null ? "end_turn" : "stop_sequence", stop_sequence: sequence };
  }
}

/** Chat counts cached input inside the prompt, messages beside it. */
export function messageUsage(usage: unknown): MessageUsage {
  const figures = isObject(usage) ? usage : {};
  const details = isObject(figures.prompt_tokens_details) ? figures.prompt_tokens_details : {};
  const prompt = countOr0(figures.prompt_tokens);
  const cached = Math.min(prompt, countOr0(details.cached_tokens));
  return {
    input_tokens: prompt - cached,
    output_tokens: countOr0(figures.completion_tokens),
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: 0,
  };
}

function textBlocks(answer: JsonObject): JsonObject[] {
  const { content } = answer;
  const text = Array.isArray(content)
    ? objectsIn(content)
        .map((part) => stringOr(part.text, ""))
        .join("")
    : stringOr(content, stringOr(answer.refusal, ""));
  return text === "" ? [] : [{ type: "text", text }];
}

function toolUse(call: JsonObject, newId: string): JsonObject {
  const target = isObject(call.function) ? call.function : {};
  return {
    type: "tool_use",
    id: stringOr(call.id, newId),
    name: stringOr(target.name, ""),
    input: toolInput(stringOr(target.arguments, "")),
  };
}

/** Text up to this long cannot be nested so deep that it can be read but not written again. */
const SHALLOW_LENGTH = 2000;

/** Models sometimes write arguments that are no JSON, or nested without end; they are kept readable instead of lost. */
function toolInput(args: string): JsonObject {
  if (args.trim() === "") return {};
  try {
    const parsed: unknown = JSON.parse(args);
    if (args.length > SHALLOW_LENGTH) JSON.stringify(parsed);
    return isObject(parsed) ? parsed : { arguments: parsed };
  } catch {
    return { arguments: args };
  }
}
