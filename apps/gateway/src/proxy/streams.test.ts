/** Streams as servers really send them: odd line ends, split characters, pings, comments, missing ends. */
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { RawClient, rawChat } from "./testing/raw-client";
import { SECRET, until } from "./testing/rig";
import type { Script } from "./testing/scripted-upstream";
import { chunk, delta, event, json, LAST_CHUNK, STREAM_HEAD, stream, usageChunk, wantsUsage } from "./testing/scripts";
import { gateway } from "./testing/set-up";

/** A stream of exactly these bytes, cut into chunks of `size`. */
function bytesInChunks(bytes: Buffer, size: number): Script {
  return async (answer) => {
    await answer.write(STREAM_HEAD);
    for (let at = 0; at < bytes.length; at += size) await answer.write(chunk(bytes.subarray(at, at + size)));
    await answer.write(LAST_CHUNK);
  };
}

const asked = { stream: true, stream_options: { include_usage: true } };
const EVENTS = [event(delta("漢字 ")), event(delta("👩‍👩‍👧🇳🇴", "stop"))];

describe("a stream's bytes", () => {
  const forms: [string, Buffer][] = [
    ["plain", Buffer.from([...EVENTS, event(usageChunk()), event("[DONE]")].join(""))],
    ["with CRLF", Buffer.from([...EVENTS, event(usageChunk()), event("[DONE]")].join("").replaceAll("\n", "\r\n"))],
    [
      "with comments and pings",
      Buffer.from(
        [": ping\n\n", ...EVENTS, ": x\n", "id: 7\n", event(usageChunk()), ":\n\n", event("[DONE]")].join(""),
      ),
    ],
    ["without a final newline", Buffer.from([...EVENTS, event(usageChunk()), "data: [DONE]"].join(""))],
    [
      "with invalid UTF-8",
      Buffer.concat([
        Buffer.from(EVENTS.join("")),
        Buffer.from("data: \xff\xfe\n\n", "latin1"),
        Buffer.from(event(usageChunk()) + event("[DONE]")),
      ]),
    ],
    [
      "with a name and several data lines",
      Buffer.from(
        `event: x\ndata: {"choices":\ndata: []}\n\n${EVENTS.join("")}${event(usageChunk())}${event("[DONE]")}`,
      ),
    ],
  ];
  it.each(forms)(
    "%s reach a client that asked for usage unchanged, however they are split, and usage is read",
    async (_name, bytes) => {
      for (const size of [1, 2, 5, 64, 10_000]) {
        const { rig } = await gateway(bytesInChunks(bytes, size));
        const answer = await rig.chat(asked);
        expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
        await until(() => rig.records.length === 1);
        expect(rig.records[0]).toMatchObject({ outcome: "completed", inputTokens: 11, outputTokens: 7 });
      }
    },
  );

  it.each(forms)("%s lose the usage event and nothing else for a client that did not ask", async (_name, bytes) => {
    const usageEvent = /(?:: x\r?\nid: 7\r?\n)?data: [^\r\n]*"choices":\[\][^\r\n]*\r?\n\r?\n/;
    const expected = Buffer.from(bytes.toString("latin1").replace(usageEvent, ""), "latin1");
    expect(expected.length).toBeLessThan(bytes.length);
    for (const size of [1, 2, 5, 64, 10_000]) {
      const { rig, upstream } = await gateway(bytesInChunks(bytes, size));
      const answer = await rig.chat({ stream: true });
      expect(Buffer.from(await answer.arrayBuffer()).toString("latin1")).toBe(expected.toString("latin1"));
      expect(upstream.requests[0]?.body.toString()).toContain('"stream_options":{"include_usage":true}');
      await until(() => rig.records.length === 1);
      expect(rig.records[0]).toMatchObject({ inputTokens: 11, outputTokens: 7 });
    }
  });

  it("of one event larger than is held back pass through", async () => {
    const huge = Buffer.from(
      `data: {"choices":[{"delta":{"content":"${"x".repeat(300_000)}"}}]}\n\n${EVENTS.join("")}${event("[DONE]")}`,
    );
    const { rig } = await gateway(bytesInChunks(huge, 4096));
    const answer = await rig.chat({ stream: true });
    expect(Buffer.from(await answer.arrayBuffer()).equals(huge)).toBe(true);
  });
});

describe("what a client says about usage", () => {
  const plain = stream([event(delta("a", "stop")), event("[DONE]")]);
  it.each([
    ["null", '{"include_usage":true}', false],
    ["{}", '{"include_usage":true}', false],
    ['{"include_usage":false,"other":1}', '{"include_usage":true,"other":1}', false],
    ['{"include_usage":true}', '{"include_usage":true}', true],
    ['{"include_usage":"true"}', '{"include_usage":"true"}', true],
    ['"odd"', '"odd"', true],
  ])("as %s reaches the backend as %s", async (given, sent, isUntouched) => {
    const { rig, upstream } = await gateway(plain);
    const body = `{"stream":true,"model":"m", "stream_options" : ${given} ,"messages":[]}`;
    await (await rig.post("/v1/chat/completions", body)).text();
    expect(upstream.requests[0]?.body.toString()).toBe(isUntouched ? body : body.replace(given, sent));
  });

  it("is left out for a backend that refuses the option, from then on, and its requests succeed", async () => {
    const picky: Script = (answer) => {
      if (!wantsUsage(answer)) return plain(answer);
      return json({ error: { message: "unknown field stream_options" } }, { status: 400 })(answer);
    };
    const { rig, upstream } = await gateway(picky);
    for (let i = 0; i < 2; i++) {
      const answer = await rig.chat({ stream: true });
      expect(answer.status).toBe(200);
      await answer.text();
    }
    expect(upstream.requests.length).toBe(3);
    await until(() => rig.records.length === 2);
    expect(rig.records[0]).toMatchObject({ outcome: "completed", inputTokens: null });
  });

  it("is left out for each of many calls that were refused the option together, in either dialect", async () => {
    const waiting: (() => void)[] = [];
    const picky: Script = async (answer) => {
      if (!wantsUsage(answer)) return plain(answer);
      // Nobody is told before all have asked.
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length === 4) for (const tell of waiting) tell();
      });
      return json({ error: { message: "unknown field stream_options" } }, { status: 400 })(answer);
    };
    const { rig, upstream } = await gateway(picky);
    const call = { model: "m", stream: true, messages: [{ role: "user", content: "x" }], max_tokens: 5 };
    const paths = ["/v1/chat/completions", "/v1/messages", "/v1/chat/completions", "/v1/messages"];
    const answers = await Promise.all(paths.map((path) => rig.post(path, call)));
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200]);
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(texts.map((text) => text.includes(text.includes("message_start") ? "message_stop" : "[DONE]"))).toEqual(
      paths.map(() => true),
    );
    expect(upstream.requests).toHaveLength(8);
    expect((await rig.post("/v1/messages", call)).status).toBe(200);
    expect(upstream.requests).toHaveLength(9);
  });
});

describe("an error inside a stream", () => {
  it("passes unchanged and the openai client raises it", async () => {
    const failing = stream([event(delta("a")), event({ error: { message: "gpu lost", type: "server_error" } })]);
    const { rig } = await gateway(failing);
    const client = new OpenAI({ baseURL: `${rig.url}/v1`, apiKey: SECRET, maxRetries: 0 });
    const read = async (): Promise<void> => {
      const parts = await client.chat.completions.create({ model: "m", messages: [], stream: true });
      for await (const _part of parts);
    };
    await expect(read()).rejects.toThrow(/gpu lost/);
  });
});

describe("when the process has to stop", () => {
  const endless: Script = async (answer) => {
    await answer.write(STREAM_HEAD);
    for (let i = 0; !answer.isGone; i++) {
      await answer.write(chunk(event(delta(`w${i}`))));
      await answer.pause(5);
    }
  };

  it("lets running answers finish, refuses new ones, and closes connections behind them", async () => {
    const { rig, upstream } = await gateway(stream([event(delta("a", "stop")), event("[DONE]")], { gapMs: 50 }));
    const running = await RawClient.send(rig.port, rawChat({ model: "m", stream: true, messages: [] }));
    await until(() => upstream.open === 1);
    const drained = rig.listener.drain(5000);
    const refused = await rig.chat();
    expect([refused.status, refused.headers.get("retry-after"), refused.headers.get("connection")]).toEqual([
      503,
      "5",
      "close",
    ]);
    expect(await refused.json()).toMatchObject({ error: { code: "shutting_down" } });
    await drained;
    await until(() => running.isClosed);
    expect(running.text).toContain("[DONE]");
    expect(rig.inFlight).toBe(0);
  });

  it("ends streams at the deadline with one error event in each dialect, and takes back every slot", async () => {
    const { rig, upstream } = await gateway(endless, { model: { maxInFlight: 2 } });
    const openai = await RawClient.send(rig.port, rawChat({ model: "m", stream: true, messages: [] }));
    const anthropic = await RawClient.send(
      rig.port,
      rawChat({ model: "m", stream: true, messages: [], max_tokens: 5 }, { path: "/v1/messages" }),
    );
    const queued = await RawClient.send(rig.port, rawChat({ model: "m", messages: [] }));
    await until(() => upstream.open === 2 && openai.text.includes("w3") && anthropic.text.includes("w3"));
    await rig.listener.drain(30);
    await until(
      () => openai.text.includes("[DONE]") && anthropic.text.includes("event: error") && queued.statuses.length === 1,
    );
    expect(openai.text).toContain('"code":"shutting_down"');
    expect(anthropic.text).toContain('"type":"overloaded_error"');
    expect(openai.text.endsWith(`${LAST_CHUNK}`)).toBe(true);
    expect(queued.statuses).toEqual([503]);
    expect(rig.inFlight).toBe(0);
    expect(rig.records.map((record) => record.outcome)).toEqual(["shutting_down", "shutting_down", "shutting_down"]);
    await until(() => upstream.open === 0);
  });

  it("waits for a slow client to take the rest of an answer whose backend is done", async () => {
    const body = `["${"x".repeat(20 * 1024 * 1024)}"]`;
    const { rig, upstream } = await gateway((answer) =>
      answer.write(
        `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      ),
    );
    const client = await RawClient.send(rig.port, rawChat({ model: "m", messages: [] }));
    await until(() => client.received.length > 0);
    client.socket.pause();
    await until(() => upstream.open === 1);
    const drained = rig.listener.drain(20_000);
    setTimeout(() => client.socket.resume(), 100);
    await drained;
    rig.server.closeAllConnections();
    await until(() => client.isClosed);
    expect(client.text.endsWith('xx"]')).toBe(true);
  });
});
