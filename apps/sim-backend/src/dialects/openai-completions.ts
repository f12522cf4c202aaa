/** OpenAI text completions: `POST /v1/completions`. */
import { type Checked, countOf, isRecord, stringOf } from "../json";
import type { Ask, Dialect, Reply } from "./dialect";
import { openAiProblem, openAiUsage, sse } from "./openai-shapes";
import { markerOf } from "./prompt";

/** What the protocol answers with when the caller sets no limit. */
const DEFAULT_LIMIT = 16;

export const openAiCompletions: Dialect = {
  read(body): Checked<Ask> {
    const model = stringOf(body.model);
    if (model === "") return { ok: false, problem: "model is required" };
    if (body.prompt === undefined) return { ok: false, problem: "prompt is required" };
    const options = isRecord(body.stream_options) ? body.stream_options : {};
    return {
      ok: true,
      value: {
        model,
        prompt: typeof body.prompt === "string" ? body.prompt : JSON.stringify(body.prompt),
        isStream: body.stream === true,
        limit: countOf(body.max_tokens) ?? DEFAULT_LIMIT,
        isExact: body.ignore_eos === true,
        marker: markerOf(body),
        wantsUsage: options.include_usage === true,
        tool: null,
      },
    };
  },
  whole: (reply, text) => ({ ...choice(reply, text, finishReason(reply)), usage: openAiUsage(reply) }),
  opening: () => "",
  piece: (reply, text) => sse(choice(reply, text, null)),
  closing(reply) {
    const usage = reply.ask.wantsUsage
      ? sse({ ...choice(reply, "", null), choices: [], usage: openAiUsage(reply) })
      : "";
    return `${sse(choice(reply, "", finishReason(reply)))}${usage}data: [DONE]\n\n`;
  },
  problem: openAiProblem,
};

function choice(reply: Reply, text: string, finish: string | null) {
  return {
    id: `cmpl-${reply.id}`,
    object: "text_completion",
    created: reply.createdSecs,
    model: reply.ask.model,
    choices: [{ index: 0, text, logprobs: null, finish_reason: finish }],
  };
}

function finishReason(reply: Reply): string {
  return reply.isCut ? "length" : "stop";
}
