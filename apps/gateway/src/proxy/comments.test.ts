/** Comments, with which servers and what stands between keep a silent stream open, as the official clients read them. */
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { type Rig, SECRET, until } from "./testing/rig";
import type { Script } from "./testing/scripted-upstream";
import { chunk, delta, event, LAST_CHUNK, STREAM_HEAD, usageChunk } from "./testing/scripts";
import { gateway } from "./testing/set-up";

const COMMENTS: [string, string][] = [
  ["with one line end", ": ping\n"],
  ["with two", ": ping\n\n"],
  ["with CRLF", ": ping\r\n\r\n"],
  ["without a text", ":\n\n"],
  ["that look like data", ": data: [DONE]\n\n"],
  ["of 70 KB", `: ${"x".repeat(70_000)}\n\n`],
];

/** A stream with the comment before, between and after its events, in pieces of `size` bytes. */
function commented(comment: string, events: readonly string[], size: number): Script {
  const bytes = Buffer.from([comment, comment, ...events.flatMap((text) => [text, comment])].join(""));
  return async (answer) => {
    await answer.write(STREAM_HEAD);
    for (let at = 0; at < bytes.length; at += size) await answer.write(chunk(bytes.subarray(at, at + size)));
    await answer.write(LAST_CHUNK);
  };
}

const withId = (text: string, n: number): string => `id: ${n}\n${text}`;
const CHAT = [event(delta("a")), event(delta("b", "stop")), event(usageChunk()), event("[DONE]")].map(withId);
const sizesFor = (comment: string): number[] => (comment.length > 1000 ? [1000, 65_536] : [1, 3, 1000]);

function named(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

const MESSAGE = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 11, output_tokens: 1 },
};
const MESSAGES = [
  named("message_start", { message: MESSAGE }),
  named("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
  named("content_block_delta", { index: 0, delta: { type: "text_delta", text: "ab" } }),
  named("content_block_stop", { index: 0 }),
  named("message_delta", { delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 7 } }),
  named("message_stop", {}),
];

async function isBooked(rig: Rig): Promise<void> {
  await until(() => rig.records.length === 1);
  expect(rig.records[0]).toMatchObject({ outcome: "completed", inputTokens: 11, outputTokens: 7 });
}

describe.each(COMMENTS)("comments %s", (_how, comment) => {
  it.each([true, false])("are nothing to the openai client, whether it asks for usage: %s", async (asks) => {
    for (const size of sizesFor(comment)) {
      const { rig } = await gateway(commented(comment, CHAT, size));
      const client = new OpenAI({ baseURL: `${rig.url}/v1`, apiKey: SECRET, maxRetries: 0 });
      const parts = [];
      const options = asks ? { stream_options: { include_usage: true } } : {};
      for await (const part of await client.chat.completions.create({
        model: "m",
        messages: [],
        stream: true,
        ...options,
      })) {
        parts.push(part.choices[0]?.delta.content ?? part.usage?.completion_tokens);
      }
      expect(parts).toEqual(asks ? ["a", "b", 7] : ["a", "b"]);
      await isBooked(rig);
    }
  });

  it.each(["anthropic", "openai"] as const)("are nothing to the Anthropic client over %s", async (protocol) => {
    for (const size of sizesFor(comment)) {
      const events = protocol === "anthropic" ? MESSAGES : CHAT;
      const { rig } = await gateway(commented(comment, events, size), { endpoint: { protocol } });
      const client = new Anthropic({ baseURL: rig.url, apiKey: SECRET, maxRetries: 0 });
      const types: string[] = [];
      const helper = client.messages
        .stream({ model: "m", max_tokens: 9, messages: [{ role: "user", content: "x" }] })
        .on("streamEvent", ({ type }) => void types.push(type));
      const message = await helper.finalMessage();
      expect(message.content).toEqual([expect.objectContaining({ type: "text", text: "ab" })]);
      expect(types.filter((type) => type !== "content_block_delta")).toEqual([
        "message_start",
        "content_block_start",
        "content_block_stop",
        "message_delta",
        "message_stop",
      ]);
      await isBooked(rig);
    }
  });
});

it("are not the beginning of an answer: the time to the first token goes on", async () => {
  const { rig } = await gateway(async (answer) => {
    await answer.write(STREAM_HEAD);
    await answer.write(chunk(": ping\n\n"));
    await answer.pause(100);
    await answer.write(chunk(CHAT.join("")));
    await answer.write(LAST_CHUNK);
  });
  await (await rig.chat({ stream: true })).text();
  await until(() => rig.records.length === 1);
  expect(rig.records[0]?.ttftMs).toBeGreaterThan(90);
});
