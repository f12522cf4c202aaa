/** Flattens what a caller sent into the one text the simulated model reads. */
import { isRecord, stringOf } from "../json";
import { hash32 } from "../random";
import { CHARS_PER_TOKEN } from "../tokens";

/** What an image costs, whatever its size. */
const IMAGE_TOKENS = 765;

/** `content` of a message in either protocol: a string or a list of parts. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return content === undefined || content === null ? "" : JSON.stringify(content);
  return content.map(partText).join("\n");
}

/** The messages of a chat, roles included. */
export function messagesText(messages: readonly unknown[]): string {
  const lines = messages.map((message) => {
    if (!isRecord(message)) return "";
    const calls = message.tool_calls === undefined ? "" : JSON.stringify(message.tool_calls);
    return `${stringOf(message.role)}\n${contentText(message.content)}${calls}\n`;
  });
  return lines.join("");
}

/** Tool definitions stand before everything else, as they do in real prompts. */
export function toolsText(tools: unknown): string {
  return Array.isArray(tools) && tools.length > 0 ? `${JSON.stringify(tools)}\n` : "";
}

/** Who the caller says it is, in the body; "" when it does not. */
export function markerOf(body: Record<string, unknown>): string {
  const metadata = isRecord(body.metadata) ? body.metadata : {};
  return stringOf(body.user) || stringOf(metadata.user_id);
}

/** The smallest arguments a JSON schema lets a tool be called with, on one level. */
export function exampleArguments(schema: unknown): string {
  const properties = isRecord(schema) && isRecord(schema.properties) ? schema.properties : {};
  const values: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(properties)) values[name] = exampleValue(property);
  return JSON.stringify(values);
}

function exampleValue(schema: unknown): unknown {
  if (!isRecord(schema)) return "";
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0];
  switch (schema.type) {
    case "number":
    case "integer":
      return 1;
    case "boolean":
      return true;
    case "array":
      return [];
    case "object":
      return {};
    default:
      return "example";
  }
}

function partText(part: unknown): string {
  if (!isRecord(part)) return stringOf(part);
  if (typeof part.text === "string") return part.text;
  if (part.type === "image_url" || part.type === "image") {
    return `image ${hash32(JSON.stringify(part))} `.padEnd(IMAGE_TOKENS * CHARS_PER_TOKEN, ".");
  }
  if (part.type === "tool_result") return contentText(part.content);
  return JSON.stringify(part);
}
