/** Streamed tool calls of servers that speak OpenAI, in every form they have, as the official Anthropic SDK reads them. */
import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { type Rig, SECRET, until } from "./testing/rig";
import { delta, event, stream, usageChunk } from "./testing/scripts";
import { gateway } from "./testing/set-up";

const QUESTION = { model: "m", max_tokens: 9, messages: [{ role: "user" as const, content: "hello" }] };

const FINISH = event({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] });

/** A chunk with these entries of `tool_calls`. */
function calls(...parts: readonly object[]): string {
  return event({ choices: [{ index: 0, delta: { tool_calls: parts }, finish_reason: null }] });
}

function part(index: number | undefined, args: string, first: { id?: string; name?: string } = {}): object {
  const { name, ...id } = first;
  return {
    ...(index === undefined ? {} : { index }),
    ...id,
    function: { ...(name === undefined ? {} : { name }), arguments: args },
  };
}

function ask(rig: Rig): Promise<Anthropic.Message> {
  const client = new Anthropic({ baseURL: rig.url, apiKey: SECRET, maxRetries: 0 });
  return client.messages.stream(QUESTION).finalMessage();
}

async function contentFor(chunks: readonly string[]): Promise<Anthropic.ContentBlock[]> {
  const { rig } = await gateway(stream([...chunks, FINISH, event(usageChunk()), event("[DONE]")]));
  const message = await ask(rig);
  expect(message.stop_reason).toBe("tool_use");
  expect(message.usage.output_tokens).toBe(7);
  await until(() => rig.records.length === 1);
  expect(rig.records[0]).toMatchObject({ outcome: "completed", outputTokens: 7 });
  return message.content;
}

const call = (id: string, name: string, input: object) =>
  expect.objectContaining({ type: "tool_use", id, name, input });
const text = (words: string) => expect.objectContaining({ type: "text", text: words });

describe("the parts of streamed tool calls", () => {
  it("may come in turns", async () => {
    const content = await contentFor([
      event(delta("both: ")),
      calls(part(0, '{"a"', { id: "t0", name: "f" }), part(1, "", { id: "t1", name: "g" })),
      calls(part(1, '{"b":[')),
      calls(part(0, ":1")),
      calls(part(1, "2]"), part(0, "}")),
      calls(part(1, "}")),
    ]);
    expect(content).toEqual([text("both: "), call("t0", "f", { a: 1 }), call("t1", "g", { b: [2] })]);
  });

  it("may be mixed with text, which is then a block of its own", async () => {
    const content = await contentFor([
      event(delta("one ")),
      calls(part(0, '{"a"', { id: "t0", name: "f" })),
      event(delta("two ")),
      calls(part(1, "{}", { id: "t1", name: "g" })),
      event(delta("three")),
      calls(part(0, ":1}")),
    ]);
    expect(content).toEqual([text("one "), call("t0", "f", { a: 1 }), text("two three"), call("t1", "g", {})]);
  });

  it.each([
    ["no index", undefined],
    ["the same index", 0],
  ])("may have %s, told apart by id and name", async (_how, index) => {
    const content = await contentFor([
      calls(part(index, '{"a":1}', { id: "t0", name: "f" }), part(index, "", { id: "t1", name: "f" })),
      calls(part(index, '{"a":2}')),
    ]);
    expect(content).toEqual([call("t0", "f", { a: 1 }), call("t1", "f", { a: 2 })]);
  });

  it("may carry another id each time, or name and id late, or twice", async () => {
    const content = await contentFor([
      calls(part(0, "", { id: "t0" })),
      calls(part(0, '{"a"', { name: "f" })),
      calls(part(0, ":1", { id: "other" })),
      calls(part(0, "}", { id: "t0", name: "f" })),
    ]);
    expect(content).toEqual([call("t0", "f", { a: 1 })]);
  });

  it("get ids of the gateway's where the server gives none, each its own", async () => {
    const content = await contentFor([calls(part(0, "{}", { name: "f" }), part(1, "{}", { name: "g" }))]);
    const ids = content.map((block) => (block.type === "tool_use" ? block.id : ""));
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^call_\w+$/);
  });
});

describe("a stream whose parts cannot be put in order", () => {
  it("ends with an error that says what to do once 4 MiB wait for an earlier call", async () => {
    const piece = "x".repeat(256 * 1024);
    const { rig } = await gateway(
      stream([
        calls(part(0, "{", { id: "t0", name: "f" }), part(1, '{"a":"', { id: "t1", name: "g" })),
        ...Array.from({ length: 20 }, () => calls(part(1, piece))),
        FINISH,
      ]),
    );
    await expect(ask(rig)).rejects.toThrow(/disable_parallel_tool_use/);
    await until(() => rig.records.length === 1 && rig.inFlight === 0);
    expect(rig.records[0]).toMatchObject({ outcome: "upstream_error" });
  });

  it("ends so too after 1,024 calls", async () => {
    const all = Array.from({ length: 1100 }, (_, n) => calls(part(n, "{}", { id: `t${n}`, name: "f" })));
    const { rig } = await gateway(stream([...all, FINISH]));
    await expect(ask(rig)).rejects.toThrow(/disable_parallel_tool_use/);
  });

  it("is broken off when arguments go on after their end", async () => {
    const { rig } = await gateway(
      stream([
        calls(part(0, "{}", { id: "t0", name: "f" }), part(1, "{", { id: "t1", name: "g" })),
        calls(part(0, "more")),
        FINISH,
      ]),
    );
    await expect(ask(rig)).rejects.toThrow();
    await until(() => rig.records.length === 1);
    expect(rig.records[0]).toMatchObject({ outcome: "upstream_error" });
  });
});
