/**
 * Turns an Anthropic messages request into an OpenAI chat request, for models whose server speaks OpenAI. What has no
 * counterpart there is left out when the answer stays right without it (thinking, cache marks) and refused when it would
 * not (tools that only Anthropic runs). The table is in `docs/data-plane.md`.
 */
import { EditedBytes } from "../body/edited-bytes";
import { isObject, type JsonObject, objectsIn, stringOr } from "./json-shape";

export type ChatRequest =
  | {
      readonly kind: "chat";
      /** The request under the name a server knows the model by; a stream may be asked to end with usage figures. */
      readonly bodyFor: (model: string, asksUsage: boolean) => Buffer;
      /** Bytes that are kept for it. */
      readonly size: number;
      /** What of the request has no counterpart and is not sent. */
      readonly leftOut: readonly string[];
    }
  | { readonly kind: "invalid"; readonly message: string; readonly param: string };

/** Members that only Anthropic's servers understand. */
const ANTHROPIC_ONLY = new Set([
  "anthropic_version",
  "betas",
  "cache_control",
  "container",
  "context_management",
  "inference_geo",
  "mcp_servers",
  "metadata",
  "output_config",
  "service_tier",
  "speed",
  "thinking",
]);

/** Members that have a counterpart of another name or form, or that the gateway decides itself. */
const CONVERTED = new Set([
  "model",
  "system",
  "messages",
  "tools",
  "tool_choice",
  "stop_sequences",
  "stream",
  "stream_options",
]);

class Unsupported extends Error {
  constructor(
    readonly param: string,
    message: string,
  ) {
    super(message);
    this.name = "Unsupported";
  }
}

/** Never throws. */
export function chatRequestOf(body: Buffer): ChatRequest {
  try {
    const request: unknown = JSON.parse(body.toString("utf8"));
    if (!isObject(request))
      return { kind: "invalid", message: "The request body is not a JSON object.", param: "body" };
    return convert(request);
  } catch (error) {
    if (error instanceof Unsupported) return { kind: "invalid", message: error.message, param: error.param };
    if (error instanceof SyntaxError) {
      return { kind: "invalid", message: "The request body is not valid JSON.", param: "body" };
    }
    throw error;
  }
}

function convert(request: JsonObject): ChatRequest {
  const leftOut = new Set<string>();
  const chat: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(request)) {
    if (!CONVERTED.has(name) && !ANTHROPIC_ONLY.has(name)) chat[name] = value;
  }
  if (isObject(request.thinking) && request.thinking.type !== "disabled") leftOut.add("thinking");
  chat.messages = [...systemMessages(request.system), ...chatMessages(request.messages, leftOut)];
  addTools(chat, request);
  if (Array.isArray(request.stop_sequences) && request.stop_sequences.length > 0) chat.stop = request.stop_sequences;
  if (isObject(request.metadata) && typeof request.metadata.user_id === "string") {
    chat.user = request.metadata.user_id;
  }
  if (request.stream === true) chat.stream = true;
  return chatOf(Buffer.from(JSON.stringify(chat)), [...leftOut]);
}

/** `text` is the chat without a model; kept as text, which is smaller than the objects. */
function chatOf(text: Buffer, leftOut: readonly string[]): ChatRequest {
  const kept = new EditedBytes(text);
  return {
    kind: "chat",
    bodyFor: (model, asksUsage) => {
      const options = asksUsage ? '"stream_options":{"include_usage":true},' : "";
      const first = `"model":${JSON.stringify(model)},${options}`;
      return kept.with(first, () => [{ start: 1, end: 1, bytes: Buffer.from(first) }]);
    },
    size: text.length,
    leftOut,
  };
}

function systemMessages(system: unknown): JsonObject[] {
  const text = typeof system === "string" ? system : objectsIn(system).map(textOf).filter(Boolean).join("\n\n");
  return text === "" ? [] : [{ role: "system", content: text }];
}

function chatMessages(messages: unknown, leftOut: Set<string>): JsonObject[] {
  if (!Array.isArray(messages)) throw new Unsupported("messages", '"messages" must be an array.');
  return messages.flatMap((message: unknown, index) => {
    if (!isObject(message)) throw new Unsupported(`messages.${index}`, "Each message must be an object.");
    const { role, content } = message;
    if (role !== "user" && role !== "assistant" && role !== "system") {
      throw new Unsupported(`messages.${index}.role`, 'A message\'s "role" must be "user" or "assistant".');
    }
    if (typeof content === "string") return [{ role, content }];
    if (!Array.isArray(content))
      throw new Unsupported(`messages.${index}.content`, '"content" must be text or an array.');
    const blocks = objectsIn(content);
    return role === "assistant" ? [assistantMessage(blocks, leftOut)] : userMessages(blocks, role, index);
  });
}

function assistantMessage(blocks: readonly JsonObject[], leftOut: Set<string>): JsonObject {
  const text = blocks
    .filter((block) => block.type === "text")
    .map(textOf)
    .join("");
  const calls = blocks
    .filter((block) => block.type === "tool_use")
    .map((block) => ({
      id: stringOr(block.id, ""),
      type: "function",
      function: { name: stringOr(block.name, ""), arguments: JSON.stringify(block.input ?? {}) },
    }));
  if (blocks.some((block) => block.type === "thinking" || block.type === "redacted_thinking")) leftOut.add("thinking");
  return { role: "assistant", content: text === "" ? null : text, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
}

/** Tool results come first, each a message of its own, as chat requires them right after the call they answer. */
function userMessages(blocks: readonly JsonObject[], role: string, index: number): JsonObject[] {
  const messages: JsonObject[] = [];
  const parts: JsonObject[] = [];
  for (const block of blocks) {
    if (block.type === "tool_result") {
      const { text, images } = toolResult(block);
      messages.push({ role: "tool", tool_call_id: stringOr(block.tool_use_id, ""), content: text });
      parts.push(...images);
    } else {
      parts.push(contentPart(block, `messages.${index}.content`));
    }
  }
  if (parts.length > 0) messages.push({ role, content: onlyText(parts) ?? parts });
  return messages;
}

/** A message of one text part is sent as plain text, which every server takes. */
function onlyText(parts: readonly JsonObject[]): string | null {
  const [only] = parts;
  return parts.length === 1 && only?.type === "text" ? stringOr(only.text, "") : null;
}

function contentPart(block: JsonObject, param: string): JsonObject {
  switch (block.type) {
    case "text":
      return { type: "text", text: textOf(block) };
    case "image":
      return { type: "image_url", image_url: { url: imageUrl(block.source, param) } };
    case "document":
      return { type: "text", text: documentText(block.source, param) };
    default:
      throw new Unsupported(param, `This model's server takes no content of type "${stringOr(block.type, "?")}".`);
  }
}

/** Chat's tool messages hold text only, so a result's images follow in the user's message. */
function toolResult(block: JsonObject): { text: string; images: JsonObject[] } {
  const { content } = block;
  const blocks = objectsIn(content);
  const text =
    typeof content === "string"
      ? content
      : blocks
          .filter((part) => part.type === "text")
          .map(textOf)
          .join("\n");
  const images = blocks.filter((part) => part.type === "image").map((part) => contentPart(part, "messages"));
  return { text: block.is_error === true ? `Error: ${text}` : text, images };
}

function imageUrl(source: unknown, param: string): string {
  if (isObject(source)) {
    if (source.type === "url" && typeof source.url === "string") return source.url;
    if (source.type === "base64" && typeof source.data === "string") {
      return `data:${stringOr(source.media_type, "image/png")};base64,${source.data}`;
    }
  }
  throw new Unsupported(param, "An image must be given as base64 data or as a URL for this model's server.");
}

function documentText(source: unknown, param: string): string {
  if (isObject(source) && source.type === "text" && typeof source.data === "string") return source.data;
  throw new Unsupported(param, "A document must be plain text for this model's server.");
}

function addTools(chat: Record<string, unknown>, request: JsonObject): void {
  const tools = objectsIn(request.tools);
  if (tools.length > 0) chat.tools = tools.map(chatTool);
  const choice = request.tool_choice;
  if (!isObject(choice)) return;
  if (choice.type === "tool") chat.tool_choice = { type: "function", function: { name: choice.name } };
  else if (choice.type === "any") chat.tool_choice = "required";
  else if (choice.type === "auto" || choice.type === "none") chat.tool_choice = choice.type;
  if (choice.disable_parallel_tool_use === true) chat.parallel_tool_calls = false;
}

function chatTool(tool: JsonObject, index: number): JsonObject {
  const type = tool.type;
  if (type !== undefined && type !== null && type !== "custom") {
    const message = `The tool "${stringOr(tool.name, "?")}" runs on Anthropic's servers and is not available for this model.`;
    throw new Unsupported(`tools.${index}`, message);
  }
  return {
    type: "function",
    function: {
      name: tool.name,
      ...(tool.description === undefined ? {} : { description: tool.description }),
      parameters: tool.input_schema ?? { type: "object", properties: {} },
    },
  };
}

function textOf(block: JsonObject): string {
  return stringOr(block.text, "");
}
