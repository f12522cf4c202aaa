import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { endpoint, model, type Rig, SECRET, until } from "./testing/rig";
import { chatStream, completion, delta, event, json, stream, usageChunk } from "./testing/scripts";
import { backend, gateway, gatewayWith } from "./testing/set-up";

function client(rig: Rig, options: object = {}): OpenAI {
  return new OpenAI({ baseURL: `${rig.url}/v1`, apiKey: SECRET, maxRetries: 0, ...options });
}

const MESSAGES = [{ role: "user" as const, content: "hello" }];

describe("a chat completion", () => {
  it("reaches the openai client as the backend wrote it, with the gateway's headers", async () => {
    const { rig, upstream } = await gateway(json(completion("hi there")));
    const { data, response } = await client(rig)
      .chat.completions.create({ model: "m", messages: MESSAGES })
      .withResponse();
    expect(data.choices[0]?.message.content).toBe("hi there");
    expect(response.headers.get("x-obleth-admission")).toBe("fast");
    expect(response.headers.get("x-obleth-queue-wait-ms")).toBe("0");
    expect(response.headers.get("x-obleth-model")).toBe("m");
    expect(response.headers.get("x-obleth-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(upstream.requests[0]?.path).toBe("/v1/chat/completions");
    expect(upstream.requests[0]?.headers.has("authorization")).toBe(false);
    await until(() => rig.records.length === 1);
    expect(rig.records[0]).toMatchObject({
      model: "m",
      admission: "fast",
      outcome: "completed",
      statusCode: 200,
      inputTokens: 11,
      cachedTokens: 4,
      outputTokens: 7,
      tenantId: "t1",
      keyId: "k1",
      protocol: "openai",
    });
    expect(rig.inFlight).toBe(0);
  });

  it("forwards the body byte for byte when nothing has to change", async () => {
    const { rig, upstream } = await gateway(json(completion("x")));
    const body =
      '{ "zeta":1.0, "big":9007199254740993, "exp":1e400,"neg":-0, "s":"\\ud800", "model":"m" ,"messages":[]} \n';
    await (await rig.post("/v1/chat/completions", body)).text();
    expect(upstream.requests[0]?.body.toString()).toBe(body);
  });

  it("streams to the openai client, which sees no usage event it did not ask for", async () => {
    const { rig } = await gateway(chatStream(["a", "b", "c"]));
    const chunks = [];
    for await (const part of await client(rig).chat.completions.create({
      model: "m",
      messages: MESSAGES,
      stream: true,
    })) {
      chunks.push(part);
    }
    expect(chunks.map((part) => part.choices[0]?.delta.content).join("")).toBe("abc");
    expect(chunks.every((part) => part.choices.length === 1)).toBe(true);
    await until(() => rig.records.length === 1);
    expect(rig.records[0]).toMatchObject({ outcome: "completed", inputTokens: 11, outputTokens: 7 });
  });

  it("passes the usage event on to a client that asked for it", async () => {
    const { rig } = await gateway(chatStream(["a"]));
    const response = await rig.chat({ stream: true, stream_options: { include_usage: true } });
    expect(await response.text()).toContain('"prompt_tokens":11');
    expect(response.headers.get("x-accel-buffering")).toBe("no");
  });

  it("sends the model's name at the endpoint and keeps every other byte", async () => {
    const { rig, upstream } = await gateway(json(completion("x")), {
      endpoint: { upstreamModel: "vendor/big" },
      model: { aliases: ["alias"] },
    });
    await (await rig.post("/v1/chat/completions", '{"a":[1 , 2],"model" : "alias","messages":[]}')).text();
    expect(upstream.requests[0]?.body.toString()).toBe('{"a":[1 , 2],"model" : "vendor/big","messages":[]}');
  });

  it("goes to each endpoint that is tried with that one's name and options, and every other byte as sent", async () => {
    const body = `{ "a":1e400,"model" : "m","stream":true, "stream_options":{"x":[1 ]},"messages":[],"b":"\\ud800" }`;
    const busy = json({ error: { message: "busy" } }, { status: 503 });
    const [first, second, third] = [await backend(busy), await backend(busy), await backend(chatStream(["x"]))];
    second.script = (answer) =>
      answer.number === 1 ? json({ error: { message: "no stream_options" } }, { status: 400 })(answer) : busy(answer);
    const rig = await gatewayWith({
      models: [
        model([
          endpoint(first.base, { upstreamModel: "a longer name" }),
          endpoint(second.base, { upstreamModel: "b" }),
          endpoint(third.base),
        ]),
      ],
    });
    expect(await (await rig.post("/v1/chat/completions", body)).text()).toContain("[DONE]");
    const asking = body.replace('{"x":[1 ]}', '{"x":[1],"include_usage":true}');
    const bodies = [first, second, third].flatMap(({ requests }) => requests.map((request) => request.body.toString()));
    expect(bodies).toEqual([
      asking.replace('"m"', '"a longer name"'),
      asking.replace('"m"', '"b"'),
      body.replace('"m"', '"b"'),
      asking,
    ]);
  });

  it("gives each odd form of usage exactly once to the record", async () => {
    const usage = { prompt_tokens: 11, completion_tokens: 7 };
    const forms: [string, string[]][] = [
      ["on the last content event", [event({ ...delta("a", "stop"), usage }), event("[DONE]")]],
      ["twice", [event(delta("a", "stop")), event(usageChunk(usage)), event(usageChunk(usage)), event("[DONE]")]],
      ["in the middle", [event({ ...delta("a"), usage }), event(delta("b", "stop")), event("[DONE]")]],
      [
        "growing",
        [
          event({ ...delta("a"), usage: { prompt_tokens: 11, completion_tokens: 1 } }),
          event({ ...delta("b", "stop"), usage }),
          event("[DONE]"),
        ],
      ],
      ["with nulls before", [event({ ...delta("a", "stop"), usage: null }), event(usageChunk(usage)), event("[DONE]")]],
    ];
    for (const [name, events] of forms) {
      const { rig } = await gateway(stream(events));
      const text = await (await rig.chat({ stream: true })).text();
      await until(() => rig.records.length === 1);
      expect(rig.records[0], name).toMatchObject({ inputTokens: 11, outputTokens: 7, outcome: "completed" });
      expect(text, name).not.toContain('"choices":[]');
    }
  });
});

describe("GET /v1/models", () => {
  it("lists the enabled models by name, and shows one of them", async () => {
    const rig = await gatewayWith({
      models: [model([], { name: "b" }), model([], { name: "a/x" }), model([], { name: "off", enabled: false })],
    });
    const list = await client(rig).models.list();
    expect(list.data.map((entry) => entry.id)).toEqual(["a/x", "b"]);
    expect((await client(rig).models.retrieve("b")).id).toBe("b");
    const slashed = await fetch(`${rig.url}/v1/models/a/x`, { headers: { "x-api-key": SECRET } });
    expect(await slashed.json()).toMatchObject({ id: "a/x" });
    await expect(client(rig).models.retrieve("off")).rejects.toThrow(/does not exist/);
  });

  it("is recorded as let through at once, and as rejected only when it was", async () => {
    const rig = await gatewayWith({ models: [] });
    const answer = await fetch(`${rig.url}/v1/models`, { headers: { "x-api-key": SECRET } });
    expect(answer.headers.has("x-obleth-admission")).toBe(false);
    await fetch(`${rig.url}/v1/models`, { headers: { "x-api-key": "sk_unknown" } });
    await until(() => rig.records.length === 2);
    expect(rig.records).toMatchObject([
      { admission: "fast", outcome: "completed", statusCode: 200, queueWaitMs: 0 },
      { admission: "rejected", outcome: "refused", statusCode: 401 },
    ]);
  });
});
