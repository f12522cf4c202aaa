/** Sends a trace as one tenant through the official OpenAI client, each request at its time, and notes how it went. */
import OpenAI from "openai";
import type { TraceRow } from "./trace";

export interface Sent {
  readonly tenant: string;
  /** What the backend knows the request by. */
  readonly marker: string;
  readonly sentMs: number;
  readonly endedMs: number;
  readonly isAnswered: boolean;
  /** What the gateway says the request waited for its slot. */
  readonly queueWaitMs: number;
  readonly promptTokens: number;
  readonly answerTokens: number;
  readonly error: string | null;
}

export interface Sender {
  readonly tenant: string;
  readonly secret: string;
  readonly baseUrl: string;
  readonly model: string;
  /** Arrivals come this many times faster than in the trace. */
  readonly speed: number;
}

const CHARS_PER_TOKEN = 4;

export function sendTrace(rows: readonly TraceRow[], sender: Sender): Promise<Sent[]> {
  const openai = new OpenAI({ baseURL: sender.baseUrl, apiKey: sender.secret, maxRetries: 0, timeout: 600_000 });
  return Promise.all(
    rows.map(async (row, index) => {
      await new Promise((resolve) => setTimeout(resolve, row.atMs / sender.speed));
      return sendRow(openai, row, { ...sender, index });
    }),
  );
}

async function sendRow(openai: OpenAI, row: TraceRow, call: Sender & { index: number }): Promise<Sent> {
  const sentMs = performance.now();
  const marker = `${call.tenant} ${call.index}`;
  const outcome = await answer(openai, row, { model: call.model, marker }).catch((error: unknown) => ({
    isAnswered: false,
    queueWaitMs: 0,
    promptTokens: 0,
    answerTokens: 0,
    error: error instanceof Error ? error.message : String(error),
  }));
  return { tenant: call.tenant, marker, sentMs, endedMs: performance.now(), ...outcome };
}

async function answer(openai: OpenAI, row: TraceRow, call: { model: string; marker: string }) {
  const { data: stream, response } = await openai.chat.completions
    .create({
      model: call.model,
      messages: [{ role: "user", content: promptText(call.marker, row.promptTokens) }],
      max_tokens: row.answerTokens,
      user: call.marker,
      stream: true,
      stream_options: { include_usage: true },
      // Real servers take it too: the answer is as long as in the trace.
      ...{ ignore_eos: true },
    })
    .withResponse();
  let usage: OpenAI.CompletionUsage | null | undefined;
  for await (const chunk of stream) usage = chunk.usage ?? usage;
  return {
    isAnswered: usage !== undefined && usage !== null,
    queueWaitMs: Number(response.headers.get("x-obleth-queue-wait-ms") ?? 0),
    promptTokens: usage?.prompt_tokens ?? 0,
    answerTokens: usage?.completion_tokens ?? 0,
    error: null,
  };
}

function promptText(name: string, tokens: number): string {
  return `Request ${name}. `.repeat(Math.ceil((tokens * CHARS_PER_TOKEN) / 12)).slice(0, tokens * CHARS_PER_TOKEN);
}
