import { describe, expect, it } from "vitest";
import { delta, event } from "../testing/scripts";
import { type StreamKind, StreamTail } from "./stream-tail";

const CHAT: StreamKind = { protocol: "openai", route: { answers: "json", upstreamPath: "/chat/completions" } };
const RESPONSES: StreamKind = { protocol: "openai", route: { answers: "json", upstreamPath: "/responses" } };
const MESSAGES: StreamKind = { protocol: "anthropic", route: { answers: "json", upstreamPath: "/messages" } };
const SPEECH: StreamKind = { protocol: "openai", route: { answers: "bytes", upstreamPath: "/audio/speech" } };

const named = (name: string, data: object = {}): string =>
  `event: ${name}\ndata: ${JSON.stringify({ type: name, ...data })}\n\n`;
const choice = (index: number, finish: string | null): string =>
  event({ choices: [{ index, delta: {}, finish_reason: finish }] });
const text = (words: string): string => named("content_block_delta", { delta: { type: "text_delta", text: words } });
const response = (over: object = {}): object => ({ id: "r1", error: null, output: [], ...over });

function isFinished(kind: StreamKind, bytes: string, size = bytes.length): boolean {
  const tail = new StreamTail(kind);
  for (let at = 0; at < bytes.length; at += size) tail.push(Buffer.from(bytes.slice(at, at + size)));
  return tail.isFinished();
}

describe("a stream that stopped is no finished answer", () => {
  it.each<[string, StreamKind, string]>([
    ["a message that speaks of an error", MESSAGES, text("An error: message_stop did not come")],
    ["a message that quotes the protocol", MESSAGES, text('\nevent: error\ndata: {"type":"message_stop"}\n\n')],
    ["a chat that quotes its own end", CHAT, event(delta('\ndata: [DONE]\n\n{"finish_reason":"stop","error":"x"}'))],
    ["a chat whose pieces carry an empty reason", CHAT, event(delta("a", ""))],
    ["the second of two choices", CHAT, choice(0, "stop") + choice(1, null)],
    ["a response that names no error yet", RESPONSES, named("response.in_progress", { response: response() })],
    [
      "a response that explains the protocol",
      RESPONSES,
      named("response.output_text.delta", { delta: 'response.completed, "type":"response.completed"' }),
    ],
    ["speech between two pieces", SPEECH, named("speech.audio.delta", { audio: "AAAA" })],
  ])("(%s)", (_name, kind, bytes) => {
    expect(isFinished(kind, bytes)).toBe(false);
  });
});

describe("a stream that came to its end is a finished answer, however it is cut", () => {
  const long = response({ output: [{ type: "message", content: [{ text: "x".repeat(20_000) }] }] });
  it.each<[string, StreamKind, string]>([
    ["a message", MESSAGES, text("a") + named("message_stop")],
    ["a message of one line", MESSAGES, event({ type: "message_stop" })],
    ["a message that failed", MESSAGES, named("error", { error: { type: "overloaded_error", message: "x" } })],
    ["a chat", CHAT, event(delta("a")) + event("[DONE]")],
    ["a chat of its last line", CHAT, "data: [DONE]"],
    ["a chat without the last line", CHAT, event(delta("", "stop")) + event({ choices: [], usage: {} })],
    ["two choices", CHAT, choice(1, "stop") + choice(0, null) + choice(0, "length")],
    ["a chat that failed", CHAT, event(delta("a")) + event({ error: { message: "x" } })],
    ["a chat that failed in the older form", CHAT, event({ object: "error", message: "x" })],
    ["a response whose last event repeats a long text", RESPONSES, named("response.completed", { response: long })],
    ["a response that names its last event last", RESPONSES, event({ response: long, type: "response.completed" })],
    ["a response that failed", RESPONSES, named("error", { message: "x" })],
    ["speech", SPEECH, named("speech.audio.delta", { audio: "AA" }) + named("speech.audio.done", { usage: {} })],
    ["a picture", SPEECH, named("image_generation.completed", { b64_json: "A".repeat(10_000), size: "1x1" })],
  ])("(%s)", (_name, kind, bytes) => {
    for (const size of [bytes.length, 1000, 7, 1]) expect([size, isFinished(kind, bytes, size)]).toEqual([size, true]);
    const crlf = bytes.replaceAll("\n", "\r\n");
    expect(isFinished(kind, crlf)).toBe(true);
  });
});
