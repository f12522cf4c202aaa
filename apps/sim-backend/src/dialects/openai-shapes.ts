/** Usage, problems and events as every OpenAI-shaped endpoint writes them. */
import type { Reply } from "./dialect";

export function sse(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

export function openAiUsage(reply: Reply) {
  return {
    prompt_tokens: reply.promptTokens,
    completion_tokens: reply.outputTokens,
    total_tokens: reply.promptTokens + reply.outputTokens,
    prompt_tokens_details: { cached_tokens: reply.cachedTokens },
  };
}

export function openAiProblem(status: number, message: string) {
  const type = status === 401 ? "authentication_error" : status >= 500 ? "server_error" : "invalid_request_error";
  return { error: { message, type, param: null, code: null } };
}
