/** Parts of tool calls in any order make the message that they make one call after another, read by the official SDK. */
import { MessageStream as SdkStream } from "@anthropic-ai/sdk/lib/MessageStream";
import fc from "fast-check";
import { expect, it } from "vitest";
import { SseSplitter } from "../../upstream/sse";
import { MessageStream } from "./message-stream";

interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The arguments' JSON, cut into parts. */
  readonly parts: readonly string[];
}

const IDENTITY = { requestId: "r-1", model: "m" };

const calls = fc
  .array(fc.tuple(fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()), fc.array(fc.nat(), { maxLength: 6 })), {
    minLength: 1,
    maxLength: 6,
  })
  .map((drawn): Call[] =>
    drawn.map(([input, cuts], n) => ({ id: `t${n}`, name: `f${n}`, input, parts: cut(input, cuts) })),
  );

function cut(input: unknown, cuts: readonly number[]): string[] {
  const text = JSON.stringify(input);
  const places = cuts.map((at) => at % (text.length + 1)).sort((a, b) => a - b);
  return [...places, text.length].map((to, i) => text.slice(i === 0 ? 0 : places[i - 1], to));
}

/** Deltas of all calls, each call's in its own order, mixed as the numbers say. */
function mixed(drawn: readonly Call[], choices: readonly number[]): object[] {
  const left = drawn.map((call, index) => callDeltas(call, index));
  const deltas: object[] = [];
  for (let turn = 0; left.some((queue) => queue.length > 0); turn++) {
    const open = left.filter((queue) => queue.length > 0);
    deltas.push(open[(choices[turn % choices.length] ?? 0) % open.length]?.shift() as object);
  }
  return deltas;
}

function callDeltas({ id, name, parts }: Call, index: number): object[] {
  return parts.map((part, n) => {
    const first = n === 0 ? { id, type: "function" } : {};
    return { tool_calls: [{ index, ...first, function: { ...(n === 0 ? { name } : {}), arguments: part } }] };
  });
}

interface MessageEvent {
  readonly type: string;
  readonly index?: number;
  readonly content_block?: { readonly id?: string };
  readonly delta?: { readonly text?: string; readonly partial_json?: string };
}

function eventsFor(deltas: readonly object[]): MessageEvent[] {
  const stream = new MessageStream(IDENTITY);
  const chunks: object[] = deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] }));
  chunks.push({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] });
  const texts = [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"].map((data) =>
    stream.push({ name: "", data }),
  );
  const events = new SseSplitter(1e9).push(Buffer.from(texts.join(""))) ?? [];
  return events.map(({ data }) => JSON.parse(data ?? "null"));
}

function finalMessage(deltas: readonly object[]) {
  const lines = eventsFor(deltas).map((event) => new TextEncoder().encode(`${JSON.stringify(event)}\n`));
  return SdkStream.fromReadableStream(
    new ReadableStream({
      start(controller) {
        for (const line of lines) controller.enqueue(line);
        controller.close();
      },
    }),
  ).finalMessage();
}

function contentOf(drawn: readonly Call[]): object[] {
  return drawn.map(({ id, name, input }) => expect.objectContaining({ type: "tool_use", id, name, input }));
}

/** The calls in the order in which their first parts come. */
function byFirstPart(drawn: readonly Call[], deltas: readonly object[]): Call[] {
  const order = deltas.flatMap((delta) =>
    [...JSON.stringify(delta).matchAll(/"id":"(t\d)"/g)].map((match) => match[1]),
  );
  return order.map((id) => drawn.find((call) => call.id === id) as Call);
}

const choices = fc.array(fc.nat(), { minLength: 1, maxLength: 60 });

it("makes the same message of any mix of calls as of one call after another", async () => {
  await fc.assert(
    fc.asyncProperty(calls, choices, async (drawn, turns) => {
      const deltas = mixed(drawn, turns);
      const ordered = byFirstPart(drawn, deltas);
      const oneByOne = ordered.flatMap((call) => callDeltas(call, drawn.indexOf(call)));
      const message = await finalMessage(deltas);
      expect(message.content).toEqual(contentOf(ordered));
      expect(message).toEqual(await finalMessage(oneByOne));
    }),
  );
});

it("loses no character of text and arguments that are cut off, and closes each block before the next opens", () => {
  const words = fc.array(fc.string({ minLength: 1 }), { maxLength: 8 });
  fc.assert(
    fc.property(calls, choices, words, fc.nat(), (drawn, turns, texts, keeps) => {
      // Without its last character an object never is complete, as when a limit on tokens cut it off.
      const broken = drawn.map((call) => ({ ...call, parts: call.parts.map((part) => part.replace(/\}$/, "")) }));
      const deltas = mixed(broken, turns);
      texts.forEach((content, n) => void deltas.splice((keeps * (n + 1)) % (deltas.length + 1), 0, { content }));
      const events = eventsFor(deltas);
      expect(orderOf(events)).toBe(true);
      expect(heard(events)).toEqual(spoken(deltas));
    }),
  );
});

it("passes the open call's parts on as they come, and a later call's from the moment the open one is complete", () => {
  const part = (index: number, text: string, first: object = {}) => ({
    tool_calls: [{ index, ...first, function: { name: `f${index}`, arguments: text } }],
  });
  const stream = new MessageStream(IDENTITY);
  const push = (delta: object) => {
    const data = JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }] });
    return [...stream.push({ name: "", data }).matchAll(/"partial_json":"((?:[^"\\]|\\.)*)"/g)].map(([, json]) => json);
  };
  expect(push(part(0, '{"a":'))).toEqual(['{\\"a\\":']);
  expect(push(part(1, '{"b":'))).toEqual([]);
  expect(push(part(0, '"}{'))).toEqual(['\\"}{']);
  expect(push(part(1, "1"))).toEqual([]);
  expect(push(part(0, '"}'))).toEqual(['\\"}', '{\\"b\\":1']);
  expect(push(part(1, "}"))).toEqual(["}"]);
});

/** Each block starts, has its deltas and stops, by ascending numbers, inside one message. */
function orderOf(events: readonly MessageEvent[]): boolean {
  const letters = events.map(({ type }) =>
    type === "content_block_start"
      ? "("
      : type === "content_block_stop"
        ? ")"
        : type === "content_block_delta"
          ? "."
          : "m",
  );
  const numbers = events.flatMap(({ index }) => (index === undefined ? [] : [index]));
  return /^m(\(\.*\))*mm$/.test(letters.join("")) && numbers.every((n, i) => n >= (numbers[i - 1] ?? 0));
}

interface Said {
  text: string;
  calls: Record<string, string>;
}

function spoken(deltas: readonly object[]): Said {
  const said: Said = { text: "", calls: {} };
  for (const delta of deltas as {
    content?: string;
    tool_calls?: { index: number; function: { arguments: string } }[];
  }[]) {
    said.text += delta.content ?? "";
    for (const { index, function: target } of delta.tool_calls ?? []) {
      said.calls[`t${index}`] = (said.calls[`t${index}`] ?? "") + target.arguments;
    }
  }
  return said;
}

function heard(events: readonly MessageEvent[]): Said {
  const said: Said = { text: "", calls: {} };
  let id = "";
  for (const event of events) {
    if (event.content_block !== undefined) id = event.content_block.id ?? "";
    said.text += event.delta?.text ?? "";
    if (id !== "") said.calls[id] = (said.calls[id] ?? "") + (event.delta?.partial_json ?? "");
  }
  return said;
}
