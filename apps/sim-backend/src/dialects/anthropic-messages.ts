/** Anthropic messages: `POST /v1/messages` and `/v1/messages/count_tokens`. */
import { type Checked, countOf, isRecord, stringOf } from "../json";
import type { Ask, Dialect, Reply } from "./dialect";
import { contentText, exampleArguments, markerOf, messagesText, toolsText } from "./prompt";

export const anthropicMessages: Dialect = {
  read(body): Checked<Ask> {
    const limit = countOf(body.max_tokens);
    if (limit === null) return { ok: false, problem: "max_tokens: a whole number of at least 1 is required" };
    return readAnthropic(body, limit);
  },

  whole(reply, text) {
    const content =
      reply.ask.tool === null
        ? { type: "text", text }
        : { ...toolUse(reply), input: JSON.parse(text || "{}") as unknown };
    return {
      ...head(reply),
      content: [content],
      stop_reason: stopReason(reply),
      usage: usage(reply, reply.outputTokens),
    };
  },

  opening(reply) {
    const message = { ...head(reply), content: [], stop_reason: null, usage: usage(reply, 1) };
    const block = reply.ask.tool === null ? { type: "text", text: "" } : { ...toolUse(reply), input: {} };
    return (
      event({ type: "message_start", message }) +
      event({ type: "content_block_start", index: 0, content_block: block }) +
      event({ type: "ping" })
    );
  },

  piece(reply, text) {
    const delta =
      reply.ask.tool === null ? { type: "text_delta", text } : { type: "input_json_delta", partial_json: text };
    return event({ type: "content_block_delta", index: 0, delta });
  },

  closing(reply) {
    return (
      event({ type: "content_block_stop", index: 0 }) +
      event({
        type: "message_delta",
        delta: { stop_reason: stopReason(reply), stop_sequence: null },
        usage: { output_tokens: reply.outputTokens },
      }) +
      event({ type: "message_stop" })
    );
  },

  problem: anthropicProblem,
};

/** The ask behind a messages or a count_tokens body; only the former must set `limit`. */
export function readAnthropic(body: Record<string, unknown>, limit: number | null): Checked<Ask> {
  const model = stringOf(body.model);
  if (model === "") return { ok: false, problem: "model: Field required" };
  if (!Array.isArray(body.messages) || body.messages.length === 0) {
    return { ok: false, problem: "messages: at least one message is required" };
  }
  const system = body.system === undefined ? "" : `system\n${contentText(body.system)}\n`;
  return {
    ok: true,
    value: {
      model,
      prompt: toolsText(body.tools) + system + messagesText(body.messages),
      isStream: body.stream === true,
      limit,
      isExact: body.ignore_eos === true,
      marker: markerOf(body),
      wantsUsage: true,
      tool: forcedTool(body),
    },
  };
}

export function anthropicProblem(status: number, message: string) {
  const types: Record<number, string> = {
    400: "invalid_request_error",
    401: "authentication_error",
    404: "not_found_error",
  };
  return { type: "error", error: { type: types[status] ?? "api_error", message } };
}

function forcedTool(body: Record<string, unknown>): Ask["tool"] {
  const choice = isRecord(body.tool_choice) ? body.tool_choice : {};
  if (choice.type !== "any" && choice.type !== "tool") return null;
  const tools = Array.isArray(body.tools) ? body.tools.filter(isRecord) : [];
  const tool = tools.find((one) => choice.type === "any" || one.name === choice.name);
  return tool === undefined ? null : { name: stringOf(tool.name), argumentsJson: exampleArguments(tool.input_schema) };
}

function toolUse(reply: Reply) {
  return { type: "tool_use", id: `toolu_${reply.id}`, name: reply.ask.tool?.name ?? "" };
}

function stopReason(reply: Reply): string {
  if (reply.ask.tool !== null) return "tool_use";
  return reply.isCut ? "max_tokens" : "end_turn";
}

function head(reply: Reply) {
  return { id: `msg_${reply.id}`, type: "message", role: "assistant", model: reply.ask.model, stop_sequence: null };
}

/** Anthropic counts cached prompt tokens apart from the others. */
function usage(reply: Reply, outputTokens: number) {
  return {
    input_tokens: reply.promptTokens - reply.cachedTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: reply.cachedTokens,
    output_tokens: outputTokens,
  };
}

function event(data: { type: string } & Record<string, unknown>): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}
