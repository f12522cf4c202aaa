/** OpenAI chat completions: `POST /v1/chat/completions`. */
import { type Checked, countOf, isRecord, stringOf } from "../json";
import type { Ask, Dialect, Reply } from "./dialect";
import { openAiProblem, openAiUsage, sse } from "./openai-shapes";
import { exampleArguments, markerOf, messagesText, toolsText } from "./prompt";

export const openAiChat: Dialect = {
  read(body): Checked<Ask> {
    const model = stringOf(body.model);
    if (model === "") return { ok: false, problem: "model is required" };
    if (!Array.isArray(body.messages) || body.messages.length === 0) {
      return { ok: false, problem: "messages must be a list with at least one message" };
    }
    const options = isRecord(body.stream_options) ? body.stream_options : {};
    return {
      ok: true,
      value: {
        model,
        prompt: toolsText(body.tools) + messagesText(body.messages),
        isStream: body.stream === true,
        limit: countOf(body.max_completion_tokens) ?? countOf(body.max_tokens),
        isExact: body.ignore_eos === true,
        marker: markerOf(body),
        wantsUsage: options.include_usage === true,
        tool: forcedTool(body),
      },
    };
  },

  whole(reply, text) {
    const message =
      reply.ask.tool === null
        ? { role: "assistant", content: text, refusal: null }
        : { role: "assistant", content: null, refusal: null, tool_calls: [toolCall(reply, text)] };
    return {
      ...head(reply, "chat.completion"),
      choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(reply) }],
      usage: openAiUsage(reply),
    };
  },

  opening(reply) {
    const delta =
      reply.ask.tool === null
        ? { role: "assistant", content: "" }
        : { role: "assistant", content: null, tool_calls: [{ index: 0, ...toolCall(reply, "") }] };
    return chunk(reply, delta, null);
  },

  piece(reply, text) {
    const delta =
      reply.ask.tool === null ? { content: text } : { tool_calls: [{ index: 0, function: { arguments: text } }] };
    return chunk(reply, delta, null);
  },

  closing(reply) {
    const usage = reply.ask.wantsUsage
      ? sse({ ...head(reply, "chat.completion.chunk"), choices: [], usage: openAiUsage(reply) })
      : "";
    return `${chunk(reply, {}, finishReason(reply))}${usage}data: [DONE]\n\n`;
  },

  problem: openAiProblem,
};

function forcedTool(body: Record<string, unknown>): Ask["tool"] {
  const tools = Array.isArray(body.tools) ? body.tools.filter(isRecord).map((tool) => tool.function) : [];
  const choice = body.tool_choice;
  const named = isRecord(choice) && isRecord(choice.function) ? choice.function.name : undefined;
  if (choice !== "required" && named === undefined) return null;
  const tool = tools.filter(isRecord).find((one) => named === undefined || one.name === named);
  return tool === undefined ? null : { name: stringOf(tool.name), argumentsJson: exampleArguments(tool.parameters) };
}

function toolCall(reply: Reply, argumentsJson: string) {
  return {
    id: `call_${reply.id}`,
    type: "function",
    function: { name: reply.ask.tool?.name ?? "", arguments: argumentsJson },
  };
}

function finishReason(reply: Reply): string {
  if (reply.ask.tool !== null) return "tool_calls";
  return reply.isCut ? "length" : "stop";
}

function head(reply: Reply, object: string) {
  return { id: `chatcmpl-${reply.id}`, object, created: reply.createdSecs, model: reply.ask.model };
}

function chunk(reply: Reply, delta: unknown, finish: string | null): string {
  const usage = reply.ask.wantsUsage ? { usage: null } : {};
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }];
  return sse({ ...head(reply, "chat.completion.chunk"), choices, ...usage });
}
