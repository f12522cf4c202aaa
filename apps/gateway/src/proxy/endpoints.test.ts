/** Several endpoints behind one model: which is tried, what is tried again, and what a client sees of it. */
import { describe, expect, it } from "vitest";
import { RawClient, rawChat } from "./testing/raw-client";
import { endpoint, model, type Rig, SECRET, until } from "./testing/rig";
import type { Script, ScriptedUpstream } from "./testing/scripted-upstream";
import { breaksAfter, chatStream, chunk, completion, delta, event, json, STREAM_HEAD } from "./testing/scripts";
import { backend, gateway, gatewayWith } from "./testing/set-up";

const ok = (name: string): Script => json(completion(name));

/** Says 503 and never comes to the end of its reasons. */
const busyWithoutEnd: Script = async (answer) => {
  await answer.write("HTTP/1.1 503 X\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{");
  await answer.hang();
};

async function pair(
  first: Script,
  second: Script,
  over: Parameters<typeof model>[1] = {},
  each: object = {},
): Promise<{ rig: Rig; a: ScriptedUpstream; b: ScriptedUpstream }> {
  const a = await backend(first);
  const b = await backend(second);
  const rig = await gatewayWith({ models: [model([endpoint(a.base, each), endpoint(b.base, each)], over)] });
  return { rig, a, b };
}

async function contentOf(answer: Response): Promise<string> {
  const body = (await answer.json()) as { choices: { message: { content: string } }[] };
  return body.choices[0]?.message.content ?? "";
}

describe("failover", () => {
  const failures: [string, Script][] = [
    ["resets before any byte", (answer) => answer.reset()],
    ["answers 503", json({ error: { message: "busy" } }, { status: 503 })],
    ["resets after the head", breaksAfter(0, "reset")],
    ["redirects", json({}, { status: 307, headers: ["location: http://127.0.0.1/"] })],
    ["refuses our credential", json({ error: { message: "no" } }, { status: 401 })],
  ];
  it.each(failures)("goes to the next endpoint when one %s, inside one slot and one charge", async (_name, script) => {
    const { rig, b } = await pair(script, chatStream(["fine"]), { maxInFlight: 1 });
    const text = await (await rig.chat({ stream: true })).text();
    expect(text).toContain("fine");
    expect(b.requests.length).toBe(1);
    await until(() => rig.records.length === 1);
    expect(rig.records[0]).toMatchObject({ outcome: "completed", endpointId: `e-${b.base}` });
  });

  it("goes to the next endpoint when nothing listens at one", async () => {
    const gone = await backend(ok("gone"));
    const there = await backend(ok("there"));
    await gone.close();
    const rig = await gatewayWith({ models: [model([endpoint(gone.base), endpoint(there.base)], { maxInFlight: 1 })] });
    expect(await contentOf(await rig.chat())).toBe("there");
    expect(rig.attempts).toEqual(["connect_failed", "connect_failed", "answered"]);
    await until(() => rig.inFlight === 0);
  });

  it("never happens after a comment has reached the client either: what came so far cannot be taken back", async () => {
    const comments: Script = async (answer) => {
      await answer.write(Buffer.concat([Buffer.from(STREAM_HEAD), chunk(": ping\n\n")]));
      await answer.pause(20);
      answer.reset();
    };
    const { rig, b } = await pair(comments, chatStream(["second"]));
    const client = await RawClient.send(rig.port, rawChat({ model: "m", stream: true, messages: [] }));
    await until(() => client.isClosed);
    expect(client.text).toContain(": ping");
    expect(client.text).not.toContain("0\r\n\r\n");
    expect(b.requests).toEqual([]);
  });

  it("never happens after the first event has reached the client", async () => {
    const { rig, b } = await pair(breaksAfter(1, "reset"), chatStream(["second"]));
    const client = await RawClient.send(rig.port, rawChat({ model: "m", stream: true, messages: [] }));
    await until(() => client.isClosed);
    expect(client.text).toContain("w0");
    expect(b.requests).toEqual([]);
  });

  it("stays with the first endpoint while it works", async () => {
    const { rig, b } = await pair(ok("a"), ok("b"));
    for (let i = 0; i < 5; i++) expect(await contentOf(await rig.chat())).toBe("a");
    expect(b.requests).toEqual([]);
  });

  it("stops when the client has left", async () => {
    const { rig, a, b } = await pair((answer) => answer.hang(), ok("b"));
    const client = await RawClient.send(rig.port, rawChat({ model: "m", messages: [] }));
    await until(() => a.open === 1);
    client.reset();
    await until(() => a.open === 0 && rig.inFlight === 0);
    expect(b.requests).toEqual([]);
  });

  it("does not use disabled endpoints and uses their order of priority", async () => {
    const c = await backend(ok("c"));
    const rig = await gatewayWith({
      models: [model([endpoint("http://127.0.0.1:1/v1", { enabled: false }), endpoint(c.base)])],
    });
    expect(await contentOf(await rig.chat())).toBe("c");
    expect(rig.attempts).toEqual(["answered"]);
  });
});

describe("a retry", () => {
  it("repeats a retriable status up to the model's limit, then passes the last answer on", async () => {
    const { rig, upstream } = await gateway(json({ error: { message: "busy" } }, { status: 503 }), {
      model: { maxRetries: 2 },
    });
    const answer = await rig.chat();
    expect([answer.status, upstream.requests.length]).toEqual([503, 3]);
    expect(await answer.json()).toEqual({ error: { message: "busy" } });
  });

  it("waits as long as the backend asks, but not for one that asks for too long", async () => {
    const once =
      (wait: string): Script =>
      (answer) =>
        (answer.number === 1 ? json({}, { status: 429, headers: [`retry-after: ${wait}`] }) : ok("later"))(answer);
    const short = await gateway(once("0.2"), { model: { maxRetries: 1 } });
    const start = performance.now();
    expect(await contentOf(await short.rig.chat())).toBe("later");
    expect(performance.now() - start).toBeGreaterThan(180);
    const long = await gateway(once("600"), { model: { maxRetries: 1 } });
    const answer = await long.rig.chat();
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "600"]);
  });

  it("begins when the answer it replaces is over, or has been given up: one slot is one request at the backend", async () => {
    const script: Script = (answer) => (answer.number < 3 ? busyWithoutEnd : ok("third"))(answer);
    const { rig, upstream } = await gateway(script, { model: { maxRetries: 2 } });
    expect(await contentOf(await rig.chat())).toBe("third");
    expect(upstream.highWater).toBe(1);
    expect(rig.inFlight).toBe(0);
  });

  it("leaves no answer behind that nobody waits for: neither at another endpoint nor when the client has left", async () => {
    const { rig, a, b } = await pair(busyWithoutEnd, (answer) => answer.hang());
    const client = await RawClient.send(rig.port, rawChat({ model: "m", messages: [] }));
    await until(() => b.open === 1 && a.open === 0);
    client.reset();
    await until(() => rig.inFlight === 0 && b.open === 0);
    const later = await gateway(busyWithoutEnd, { model: { maxRetries: 1, retryBackoffMs: 10_000 } });
    const leaving = await RawClient.send(later.rig.port, rawChat({ model: "m", messages: [] }));
    await until(() => later.rig.attempts.length === 1);
    expect(later.upstream.open).toBe(1);
    leaving.reset();
    await until(() => later.rig.inFlight === 0 && later.upstream.open === 0);
    expect(later.upstream.requests.length).toBe(1);
  });

  it("of a dead connection uses a fresh one, once", async () => {
    const { rig, upstream } = await gateway(ok("x"));
    await (await rig.chat()).text();
    upstream.script = (answer) => (answer.number === 2 ? answer.close() : ok("fresh")(answer));
    expect(await contentOf(await rig.chat())).toBe("fresh");
    expect(upstream.requests.length).toBe(3);
    upstream.script = (answer) => answer.reset();
    expect((await rig.chat()).status).toBe(502);
    expect(upstream.requests.length).toBe(5);
  });

  it("does not repeat what is the caller's fault", async () => {
    const { rig, upstream } = await gateway(json({ error: { message: "bad" } }, { status: 400 }), {
      model: { maxRetries: 3 },
    });
    expect((await rig.chat()).status).toBe(400);
    expect(upstream.requests.length).toBe(1);
  });
});

describe("load_balance", () => {
  it("sends to the least loaded by weight", async () => {
    const hang: Script = (answer) => answer.hang();
    const a = await backend(hang);
    const b = await backend(hang);
    const rig = await gatewayWith({
      models: [
        model([endpoint(a.base, { weight: 3 }), endpoint(b.base, { weight: 1 })], {
          endpointSelection: "load_balance",
        }),
      ],
    });
    const clients = [];
    for (let i = 0; i < 8; i++) {
      clients.push(await RawClient.send(rig.port, rawChat({ model: "m", messages: [] })));
      await until(() => a.open + b.open === i + 1);
    }
    expect([a.open, b.open]).toEqual([6, 2]);
    for (const client of clients) client.reset();
    await until(() => rig.inFlight === 0);
  });
});

describe("session_hash", () => {
  it("keeps a session at one endpoint and spreads sessions over all", async () => {
    const { rig, a, b } = await pair(ok("a"), ok("b"), { endpointSelection: "session_hash" });
    const homes = new Map<string, string>();
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 20; i++) {
        const home = await contentOf(await rig.chat({}, { headers: { "x-session-id": `s${i}` } }));
        expect(homes.get(`s${i}`) ?? home).toBe(home);
        homes.set(`s${i}`, home);
      }
    }
    expect(a.requests.length).toBeGreaterThan(9);
    expect(b.requests.length).toBeGreaterThan(9);
  });
});

describe("an endpoint's own cap", () => {
  it("is never passed: requests go elsewhere, or wait for room inside their slot", async () => {
    const slow: Script = async (answer) => {
      await answer.pause(30);
      await ok("x")(answer);
    };
    const { rig, a, b } = await pair(slow, slow, { maxInFlight: 8 }, { maxInFlight: 2 });
    const answers = await Promise.all(Array.from({ length: 16 }, () => rig.chat()));
    expect(answers.every((answer) => answer.status === 200)).toBe(true);
    expect([a.highWater, b.highWater]).toEqual([2, 2]);
    expect(rig.inFlight).toBe(0);
  });

  it("lets a waiting request's client leave without a trace", async () => {
    const { rig, upstream } = await gateway((answer) => answer.hang(), { endpoint: { maxInFlight: 1 } });
    const first = await RawClient.send(rig.port, rawChat({ model: "m", messages: [] }));
    await until(() => upstream.open === 1);
    const second = await RawClient.send(rig.port, rawChat({ model: "m", messages: [] }));
    await until(() => rig.inFlight === 2);
    second.reset();
    await until(() => rig.inFlight === 1);
    first.reset();
    await until(() => rig.inFlight === 0);
    expect(upstream.requests.length).toBe(1);
  });
});

describe("health", () => {
  it("sets an endpoint aside after failures in a row, tries it again by one request, and takes it back", async () => {
    const { rig, a, b } = await pair((answer) => answer.reset(), ok("b"));
    for (let i = 0; i < 6; i++) expect(await contentOf(await rig.chat())).toBe("b");
    const tried = a.requests.length;
    for (let i = 0; i < 6; i++) await (await rig.chat()).text();
    expect(a.requests.length).toBe(tried);
    expect(rig.listener.isEndpointHealthy(`e-${a.base}`)).toBe(false);
    expect(rig.listener.isEndpointHealthy(`e-${b.base}`)).toBe(true);
  });

  it("still tries endpoints that are all set aside, rather than refuse", async () => {
    const { rig, a, b } = await pair(
      (answer) => answer.reset(),
      (answer) => answer.reset(),
    );
    for (let i = 0; i < 8; i++) expect((await rig.chat()).status).toBe(502);
    a.script = ok("back");
    b.script = ok("back");
    expect(await contentOf(await rig.chat())).toBe("back");
  });

  it("is checked without requests: several failures set aside, several successes bring back", async () => {
    const { rig, a } = await pair(json({}, { status: 500 }), ok("b"), {}, {});
    await rig.close();
    const checked = await gatewayWith({ models: [model([endpoint(a.base)])], settings: { healthCheckMs: 30 } });
    await until(() => !checked.listener.isEndpointHealthy(`e-${a.base}`));
    expect(a.requests.length).toBeGreaterThanOrEqual(3);
    expect(a.requests[0]).toMatchObject({ method: "GET", path: "/v1/models" });
    a.script = json({ data: [] });
    await until(() => checked.listener.isEndpointHealthy(`e-${a.base}`));
  });

  it("whose checks go round leaves the connections for unregistered names open", async () => {
    const a = await backend(ok("a"));
    const fallback = await backend(ok("fallback"));
    const rig = await gatewayWith({
      models: [model([endpoint(a.base)])],
      settings: { healthCheckMs: 20, upstreamBaseUrl: fallback.base },
    });
    expect(await contentOf(await rig.chat({ model: "unheard of" }))).toBe("fallback");
    const rounds = a.requests.length + 4;
    await until(() => a.requests.length >= rounds);
    expect(fallback.connectionCount).toBe(1);
  });
});

describe("addresses", () => {
  it("of clouds' metadata and link-local hosts are never connected to, private ones only while allowed", async () => {
    for (const base of [
      "http://169.254.169.254/v1",
      "http://[fe80::1]/v1",
      "http://[::ffff:169.254.169.254]/v1",
      "http://0.0.0.0:1/v1",
    ]) {
      const rig = await gatewayWith({ models: [model([endpoint(base)])] });
      const answer = await rig.chat();
      expect(answer.status).toBe(502);
      expect(await answer.text()).toContain("address");
      expect(rig.attempts).toEqual(["address_refused"]);
    }
    const { upstream } = await gateway(ok("x"));
    for (const host of ["127.0.0.1", "localhost"]) {
      const rig = await gatewayWith({
        models: [model([endpoint(`http://${host}:${upstream.port}/v1`)])],
        settings: { blockPrivateNetworks: true },
      });
      expect((await rig.chat()).status).toBe(502);
      expect(rig.attempts).toEqual(["address_refused"]);
    }
    expect(upstream.requests).toEqual([]);
  });
});

describe("other calls", () => {
  const forms: [string, string][] = [
    ["/v1/audio/transcriptions", "audio"],
    ["/v1/audio/translations", "audio"],
    ["/v1/images/edits", "image"],
    ["/v1/images/variations", "image"],
  ];
  it.each(forms)("%s carries files byte for byte, and only the model's name may change", async (path, field) => {
    const { rig, upstream } = await gateway(json({ text: "said" }), { endpoint: { upstreamModel: "whisper-large" } });
    const file = Buffer.from([...Array(256).keys(), 13, 10, 45, 45]);
    const form = new FormData();
    form.append(field, new Blob([file]), "model.bin");
    form.append("model", "m");
    const answer = await fetch(`${rig.url}${path}`, { method: "POST", headers: { "x-api-key": SECRET }, body: form });
    expect(await answer.json()).toEqual({ text: "said" });
    const seen = upstream.requests[0];
    expect(seen?.path).toBe(path);
    expect(seen?.headers.get("content-type")).toMatch(/^multipart\/form-data; boundary=/);
    expect(seen?.body.includes(file)).toBe(true);
    expect(seen?.body.toString("latin1")).toMatch(/name="model"\r\n\r\nwhisper-large\r\n--/);
    await until(() => rig.records.length === 1);
    expect(rig.records[0]?.estimatedTokens).toBe(512);
  });

  it("to audio/speech return bytes of any kind, chunk by chunk", async () => {
    const sound = Buffer.from([...Array(2000).keys()].map((value) => value % 256));
    const { rig } = await gateway(async (answer) => {
      await answer.write("HTTP/1.1 200 OK\r\ncontent-type: audio/mpeg\r\ntransfer-encoding: chunked\r\n\r\n");
      await answer.write(chunk(sound.subarray(0, 700)));
      await answer.write(Buffer.concat([chunk(sound.subarray(700)), Buffer.from("0\r\n\r\n")]));
    });
    const answer = await rig.post("/v1/audio/speech", { model: "m", input: "hello", voice: "x" });
    expect(answer.headers.get("content-type")).toBe("audio/mpeg");
    expect(Buffer.from(await answer.arrayBuffer()).equals(sound)).toBe(true);
  });

  it.each(["/v1/embeddings", "/v1/rerank", "/v1/moderations"])(
    "to %s are charged for what they read alone",
    async (path) => {
      const { rig } = await gateway(json({ data: [], usage: { prompt_tokens: 8, total_tokens: 8 } }));
      await (await rig.post(path, { model: "m", input: ["x".repeat(8), "y"], query: "q".repeat(4) })).text();
      await until(() => rig.records.length === 1);
      expect(rig.records[0]).toMatchObject({ estimatedTokens: 4, inputTokens: 8, outputTokens: 0 });
    },
  );

  it("to responses stream with usage read from the last event", async () => {
    const events = [
      `event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"a"}\n\n`,
      `event: response.completed\ndata: ${JSON.stringify({ type: "response.completed", response: { usage: { input_tokens: 5, input_tokens_details: { cached_tokens: 2 }, output_tokens: 6 } } })}\n\n`,
    ];
    const { rig, upstream } = await gateway(async (answer) => {
      await answer.write(STREAM_HEAD);
      for (const text of events) await answer.write(chunk(text));
      await answer.write("0\r\n\r\n");
    });
    const answer = await rig.post("/v1/responses", { model: "m", input: "x", stream: true });
    expect(await answer.text()).toBe(events.join(""));
    expect(upstream.requests[0]?.body.toString()).not.toContain("stream_options");
    await until(() => rig.records.length === 1);
    expect(rig.records[0]).toMatchObject({ inputTokens: 5, cachedTokens: 2, outputTokens: 6, outcome: "completed" });
  });

  it("to completions stream with the usage event hidden", async () => {
    const { rig } = await gateway(chatStream(["a"]));
    const text = await (await rig.post("/v1/completions", { model: "m", prompt: "x", stream: true })).text();
    expect(text).not.toContain("prompt_tokens");
    expect(text).toBe(event(delta("a")) + event(delta("", "stop")) + event("[DONE]"));
  });
});
