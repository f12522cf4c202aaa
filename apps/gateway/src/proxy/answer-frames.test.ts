/** An answer is the same to its client and its record however its backend frames it and wherever its pieces are cut. */
import { expect, it } from "vitest";
import type { EndpointRecord } from "../policy-cache/records";
import { until } from "./testing/rig";
import type { Script } from "./testing/scripted-upstream";
import { chunk, completion, delta, event, LAST_CHUNK, USAGE, usageChunk } from "./testing/scripts";
import { gateway } from "./testing/set-up";

type Frame = "chunks" | "length" | "close";

interface Answer {
  readonly type: string;
  readonly text: string;
  readonly path: string;
  readonly asks?: object;
  readonly protocol?: EndpointRecord["protocol"];
}

const words = ["hé", "👩‍👩‍👧 \\u0022usage\\u0022:", "."].map((word) => event(delta(word))).join(": between\n\n");
const chatEvents = `: ping\n\n${words}${event(delta("", "stop"))}${event(usageChunk())}`;
const messageEvents = [
  { type: "message_start", message: { usage: { input_tokens: USAGE.prompt_tokens, output_tokens: 1 } } },
  { type: "ping" },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "é" } },
  { type: "message_delta", usage: { output_tokens: USAGE.completion_tokens } },
  { type: "message_stop" },
].map((data) => `event: ${data.type}\n${event(data)}`);
const used = { input_tokens: USAGE.prompt_tokens, output_tokens: USAGE.completion_tokens };
const responseEvents = [
  { type: "response.output_text.delta", delta: "é" },
  { type: "response.completed", response: { usage: used } },
].map((data) => `event: ${data.type}\n${event(data)}`);

const SSE = "text/event-stream; charset=utf-8";
const chat = { type: SSE, path: "/v1/chat/completions", asks: { stream: true } };
const json = { type: "application/json", text: `\n ${JSON.stringify(completion('é "usage":{'))}\n` };
const answers: [string, Answer][] = [
  ["a chat stream", { ...chat, text: `${chatEvents}data: [DONE]\n\n` }],
  ["a chat stream in CRLF", { ...chat, text: `${chatEvents}data: [DONE]\n\n`.replaceAll("\n", "\r\n") }],
  ["a chat stream without [DONE]", { ...chat, text: chatEvents }],
  ["a chat stream whose last line has no end", { ...chat, text: `${chatEvents}data: [DONE]` }],
  [
    "a chat stream with usage asked for",
    { ...chat, text: `${chatEvents}data: [DONE]\n\n`, asks: { stream: true, stream_options: { include_usage: true } } },
  ],
  ["a translated stream", { ...chat, text: `${chatEvents}data: [DONE]\n\n`, path: "/v1/messages" }],
  ["a message stream", { ...chat, text: messageEvents.join(""), path: "/v1/messages", protocol: "anthropic" }],
  ["a stream of responses", { ...chat, text: responseEvents.join(""), path: "/v1/responses" }],
  ["a completion", { ...json, path: "/v1/chat/completions" }],
  ["a translated completion", { ...json, path: "/v1/messages" }],
];

/** Sends the text in pieces of `length` bytes. */
function sends({ type, text }: Answer, frame: Frame, length: number): Script {
  const bytes = Buffer.from(text);
  const framing = { chunks: "transfer-encoding: chunked", length: `content-length: ${bytes.length}`, close: "x-y: z" };
  return async (answer) => {
    await answer.write(`HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\n${framing[frame]}\r\n\r\n`);
    for (let at = 0; at < bytes.length; at += length) {
      const piece = bytes.subarray(at, at + length);
      await answer.write(frame === "chunks" ? chunk(piece) : piece);
      // Else pieces that follow at once arrive as one.
      if (frame !== "chunks" && at % 16 === 0) await new Promise<void>((resolve) => setImmediate(resolve));
    }
    if (frame === "chunks") await answer.write(LAST_CHUNK);
    if (frame === "close") answer.close();
  };
}

/** What the client gets and what is recorded; ids that differ by request are levelled. */
async function received(answer: Answer, frame: Frame, length: number): Promise<unknown> {
  const { protocol = "openai" } = answer;
  const { rig } = await gateway(sends(answer, frame, length), { endpoint: { protocol } });
  const got = await rig.post(answer.path, { model: "m", max_tokens: 9, messages: [], ...answer.asks });
  const text = (await got.text()).replaceAll(/msg_[0-9a-f]{32}/g, "msg_");
  await until(() => rig.records.length === 1);
  const [record] = rig.records;
  return [got.status, text, record?.outcome, record?.inputTokens, record?.outputTokens];
}

it.each(answers)("%s", async (_name, answer) => {
  const whole = await received(answer, "chunks", 1_000_000);
  expect(whole).toEqual([200, expect.any(String), "completed", USAGE.prompt_tokens, USAGE.completion_tokens]);
  const frames: Frame[] = ["chunks", "length", "close"];
  for (const frame of frames) {
    for (const length of [1, 50, 1_000_000]) expect(await received(answer, frame, length)).toEqual(whole);
  }
});
