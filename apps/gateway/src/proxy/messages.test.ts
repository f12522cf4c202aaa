/** The Anthropic side: byte for byte to servers that speak it, translated for those that speak OpenAI. */
import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { endpoint, model, type Rig, SECRET, until } from "./testing/rig";
import {
  chatStream,
  chunk,
  completion,
  delta,
  event,
  json,
  LAST_CHUNK,
  STREAM_HEAD,
  stream,
  usageChunk,
} from "./testing/scripts";
import { backend, gateway, gatewayWith } from "./testing/set-up";

const MESSAGES = [{ role: "user" as const, content: "hello" }];

function client(rig: Rig): Anthropic {
  return new Anthropic({ baseURL: rig.url, apiKey: SECRET, maxRetries: 0 });
}

const MESSAGE = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content: [{ type: "text", text: "hi" }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 10, cache_read_input_tokens: 5, cache_creation_input_tokens: 2, output_tokens: 3 },
};

function anthropicEvents(): string[] {
  const named = (type: string, fields: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
  return [
    named("message_start", {
      message: { ...MESSAGE, content: [], stop_reason: null, usage: { ...MESSAGE.usage, output_tokens: 1 } },
    }),
    named("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
    named("ping", {}),
    named("content_block_delta", { index: 0, delta: { type: "text_delta", text: "hé" } }),
    named("content_block_stop", { index: 0 }),
    named("message_delta", { delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 42 } }),
    named("message_stop", {}),
  ];
}

describe("a messages call to a server that speaks Anthropic", () => {
  it("passes byte for byte, with the endpoint's credential, and its usage is read", async () => {
    const { rig, upstream } = await gateway(json(MESSAGE), { endpoint: { protocol: "anthropic", apiKey: "up-key" } });
    const body =
      '{"model":"m", "max_tokens":5,"messages":[{"role":"user","content":"x"}], "thinking":{"type":"enabled"}}';
    const answer = await rig.post("/v1/messages", body, {
      headers: { "anthropic-version": "2099-01-01", "anthropic-beta": "b1" },
    });
    expect(await answer.json()).toEqual(MESSAGE);
    const seen = upstream.requests[0];
    expect([seen?.path, seen?.body.toString()]).toEqual(["/v1/messages", body]);
    expect(seen?.headers.get("x-api-key")).toBe("up-key");
    expect(seen?.headers.get("anthropic-version")).toBe("2099-01-01");
    expect(seen?.headers.get("anthropic-beta")).toBe("b1");
    await until(() => rig.records.length === 1);
    expect(rig.records[0]).toMatchObject({ inputTokens: 17, cachedTokens: 5, outputTokens: 3, protocol: "anthropic" });
  });

  it("streams to the SDK, and figures given in parts make one whole", async () => {
    const { rig } = await gateway(stream(anthropicEvents()), { endpoint: { protocol: "anthropic" } });
    const final = await client(rig).messages.stream({ model: "m", max_tokens: 9, messages: MESSAGES }).finalMessage();
    expect(final.content).toMatchObject([{ type: "text", text: "hé" }]);
    await until(() => rig.records.length === 1);
    expect(rig.records[0]).toMatchObject({ inputTokens: 17, cachedTokens: 5, outputTokens: 42, outcome: "completed" });
  });

  it("cannot be made by an OpenAI client, which is told where to call", async () => {
    const { rig } = await gateway(json(MESSAGE), { endpoint: { protocol: "anthropic" } });
    const answer = await rig.chat();
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("/v1/messages");
  });

  it("prefers none of its endpoints over another because of its protocol", async () => {
    const openai = await backend(json(completion("from openai")));
    const rig = await gatewayWith({
      models: [model([endpoint("http://127.0.0.1:1/v1", { protocol: "anthropic" }), endpoint(openai.base)])],
    });
    const message = await client(rig).messages.create({ model: "m", max_tokens: 9, messages: MESSAGES });
    expect(message.content).toMatchObject([{ text: "from openai" }]);
  });
});

describe("a messages call to a server that speaks OpenAI", () => {
  it("is answered as a message, with usage and stop reason in Anthropic's terms", async () => {
    const { rig, upstream } = await gateway(json(completion("hi")), {
      endpoint: { upstreamModel: "vendor/m", apiKey: "k" },
    });
    const message = await client(rig).messages.create({
      model: "m",
      max_tokens: 64,
      system: [
        { type: "text", text: "be kind" },
        { type: "text", text: "be brief", cache_control: { type: "ephemeral" } },
      ],
      messages: MESSAGES,
      stop_sequences: ["END"],
      ...{ temperature: 0.5 },
      metadata: { user_id: "u1" },
    });
    expect(message).toMatchObject({
      type: "message",
      role: "assistant",
      model: "m",
      content: [{ type: "text", text: "hi" }],
      stop_reason: "end_turn",
      usage: { input_tokens: 7, cache_read_input_tokens: 4, output_tokens: 7 },
    });
    const seen = upstream.requests[0];
    expect(seen?.path).toBe("/v1/chat/completions");
    expect(JSON.parse(seen?.body.toString() ?? "")).toEqual({
      model: "vendor/m",
      max_tokens: 64,
      ...{ temperature: 0.5 },
      stop: ["END"],
      user: "u1",
      messages: [
        { role: "system", content: "be kind\n\nbe brief" },
        { role: "user", content: "hello" },
      ],
    });
    expect(seen?.headers.get("authorization")).toBe("Bearer k");
    expect([...(seen?.headers.keys() ?? [])].filter((name) => name.startsWith("anthropic-"))).toEqual([]);
    await until(() => rig.records.length === 1);
    expect(rig.records[0]).toMatchObject({
      protocol: "anthropic",
      inputTokens: 11,
      outputTokens: 7,
      outcome: "completed",
    });
  });

  it("carries tools, tool results, images and documents across", async () => {
    const { rig, upstream } = await gateway(json(completion("done")));
    await client(rig).messages.create({
      model: "m",
      max_tokens: 9,
      tools: [
        {
          name: "weather",
          description: "d",
          input_schema: { type: "object", properties: { city: { type: "string" } } },
        },
      ],
      tool_choice: { type: "any", disable_parallel_tool_use: true },
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "look" },
            { type: "image", source: { type: "base64", media_type: "image/png", data: "QUJD" } },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "text", text: "calling" },
            { type: "tool_use", id: "t1", name: "weather", input: { city: "Oslo" } },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "cold" }], is_error: true },
            { type: "document", source: { type: "text", media_type: "text/plain", data: "facts" } },
          ],
        },
      ],
    });
    const sent = JSON.parse(upstream.requests[0]?.body.toString() ?? "") as Record<string, unknown>;
    expect(sent.messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "look" },
          { type: "image_url", image_url: { url: "data:image/png;base64,QUJD" } },
        ],
      },
      {
        role: "assistant",
        content: "calling",
        tool_calls: [{ id: "t1", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } }],
      },
      { role: "tool", tool_call_id: "t1", content: "Error: cold" },
      { role: "user", content: "facts" },
    ]);
    expect(sent.tools).toEqual([
      {
        type: "function",
        function: {
          name: "weather",
          description: "d",
          parameters: { type: "object", properties: { city: { type: "string" } } },
        },
      },
    ]);
    expect(sent.tool_choice).toBe("required");
    expect(sent.parallel_tool_calls).toBe(false);
  });

  it("returns tool calls, and text that is not valid JSON stays readable", async () => {
    const calls = [
      { id: "c1", type: "function", function: { name: "f", arguments: '{"a":1}' } },
      { id: "c2", type: "function", function: { name: "g", arguments: "{broken" } },
    ];
    const body = {
      choices: [{ message: { role: "assistant", content: null, tool_calls: calls }, finish_reason: "tool_calls" }],
      usage: null,
    };
    const { rig } = await gateway(json(body));
    const message = await client(rig).messages.create({ model: "m", max_tokens: 9, messages: MESSAGES });
    expect(message.stop_reason).toBe("tool_use");
    expect(message.content).toEqual([
      { type: "tool_use", id: "c1", name: "f", input: { a: 1 } },
      { type: "tool_use", id: "c2", name: "g", input: { arguments: "{broken" } },
    ]);
  });

  it.each([
    ["length", {}, "max_tokens", null],
    ["stop", { stop_reason: "END" }, "stop_sequence", "END"],
    ["content_filter", {}, "refusal", null],
    ["function_call", {}, "tool_use", null],
  ])("turns the finish reason %s into Anthropic's", async (finish, more, reason, sequence) => {
    const { rig } = await gateway(json({ choices: [{ message: { content: "x" }, finish_reason: finish, ...more }] }));
    const message = await client(rig).messages.create({ model: "m", max_tokens: 9, messages: MESSAGES });
    expect([message.stop_reason, message.stop_sequence]).toEqual([reason, sequence]);
  });

  it("streams text and tools to the SDK, whatever the chunk edges", async () => {
    const tool = (index: number, over: object): object => ({
      choices: [{ index: 0, delta: { tool_calls: [{ index, ...over }] }, finish_reason: null }],
    });
    const bytes = Buffer.from(
      [
        ": comment\n\n",
        event({ choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }] }),
        event(delta("héllo 👩‍👩‍👧 ")),
        event(delta("wörld")),
        event(tool(0, { id: "t0", type: "function", function: { name: "f", arguments: "" } })),
        event(tool(0, { function: { arguments: '{"a":' } })),
        event(tool(0, { function: { arguments: '"é"}' } })),
        event(tool(1, { id: "t1", type: "function", function: { name: "g", arguments: "{}" } })),
        event({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] }),
        event(usageChunk()),
        event("[DONE]"),
      ].join(""),
    );
    for (const size of [1, 3, 7, 50, bytes.length]) {
      const { rig } = await gateway(async (answer) => {
        await answer.write(STREAM_HEAD);
        for (let at = 0; at < bytes.length; at += size) await answer.write(chunk(bytes.subarray(at, at + size)));
        await answer.write(LAST_CHUNK);
      });
      const final = await client(rig).messages.stream({ model: "m", max_tokens: 9, messages: MESSAGES }).finalMessage();
      expect(final.content).toEqual([
        expect.objectContaining({ type: "text", text: "héllo 👩‍👩‍👧 wörld" }),
        expect.objectContaining({ type: "tool_use", id: "t0", name: "f", input: { a: "é" } }),
        expect.objectContaining({ type: "tool_use", id: "t1", name: "g", input: {} }),
      ]);
      expect(final.stop_reason).toBe("tool_use");
      expect(final.usage).toMatchObject({ input_tokens: 7, cache_read_input_tokens: 4, output_tokens: 7 });
      await until(() => rig.records.length === 1);
      expect(rig.records[0]).toMatchObject({ outcome: "completed", outputTokens: 7 });
    }
  });

  it("sends events in the order the protocol prescribes", async () => {
    const { rig } = await gateway(chatStream(["a", "b"]));
    const text = await (
      await rig.post("/v1/messages", { model: "m", max_tokens: 9, stream: true, messages: MESSAGES })
    ).text();
    expect([...text.matchAll(/^event: (.*)$/gm)].map((match) => match[1])).toEqual([
      "message_start",
      "content_block_start",
      "content_block_delta",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
  });

  it("turns an error inside the stream into an error event that the SDK raises", async () => {
    const { rig } = await gateway(stream([event(delta("a")), event({ error: { message: "gpu lost", code: 503 } })]));
    const call = client(rig).messages.stream({ model: "m", max_tokens: 9, messages: MESSAGES }).finalMessage();
    await expect(call).rejects.toThrow(/gpu lost/);
  });

  it("breaks off rather than ends when the server stops in the middle", async () => {
    const { rig } = await gateway(async (answer) => {
      await answer.write(STREAM_HEAD);
      await answer.write(chunk(event(delta("a"))));
      await answer.pause(20);
      answer.reset();
    });
    const call = client(rig).messages.stream({ model: "m", max_tokens: 9, messages: MESSAGES }).finalMessage();
    await expect(call).rejects.toThrow();
    await until(() => rig.records.length === 1);
    expect(rig.records[0]).toMatchObject({ outcome: "upstream_error" });
  });

  it("leaves thinking out and says so", async () => {
    const { rig, upstream } = await gateway(json(completion("x")));
    const answer = await rig.post("/v1/messages", {
      model: "m",
      max_tokens: 9,
      thinking: { type: "enabled", budget_tokens: 1024 },
      messages: [
        ...MESSAGES,
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "hm", signature: "s" },
            { type: "text", text: "t" },
          ],
        },
      ],
    });
    expect(answer.headers.get("x-obleth-left-out")).toBe("thinking");
    expect(upstream.requests[0]?.body.toString()).not.toContain("hm");
  });

  it.each([
    [{ tools: [{ type: "web_search_20250305", name: "web_search" }] }, "tools.0"],
    [
      { messages: [{ role: "user", content: [{ type: "document", source: { type: "base64", data: "x" } }] }] },
      "messages.0.content",
    ],
    [{ messages: [{ role: "robot", content: "x" }] }, "messages.0.role"],
    [{ messages: "x" }, "messages"],
  ])("refuses what it cannot carry across with a 400 that names the field", async (over, _field) => {
    const { rig, upstream } = await gateway(json(completion("x")));
    const answer = await rig.post("/v1/messages", { model: "m", max_tokens: 9, messages: MESSAGES, ...over });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ type: "error", error: { type: "invalid_request_error" } });
    expect(upstream.requests).toEqual([]);
  });

  it("counts tokens by the gateway's own estimate, without a slot or a server", async () => {
    const { rig, upstream } = await gateway(json({}));
    const count = await client(rig).messages.countTokens({
      model: "m",
      messages: [{ role: "user", content: "x".repeat(41) }],
    });
    expect(count.input_tokens).toBe(4 + 11);
    expect(upstream.requests).toEqual([]);
  });

  it("passes token counting on to a server that speaks Anthropic", async () => {
    const { rig, upstream } = await gateway(json({ input_tokens: 99 }), { endpoint: { protocol: "anthropic" } });
    expect((await client(rig).messages.countTokens({ model: "m", messages: MESSAGES })).input_tokens).toBe(99);
    expect(upstream.requests[0]?.path).toBe("/v1/messages/count_tokens");
  });
});
