/** However a request ends, its slot comes back: at once, and once. */
import { describe, expect, it } from "vitest";
import { expectNoLeak, mixed } from "./testing/leaks";
import { RawClient, rawChat } from "./testing/raw-client";
import { endpoint, key, model, NO_BUDGETS, SECRET, SOON_MS, tenant, until } from "./testing/rig";
import type { Script } from "./testing/scripted-upstream";
import {
  breaksAfter,
  chatStream,
  chunk,
  delta,
  event,
  json,
  LAST_CHUNK,
  response,
  STREAM_HEAD,
} from "./testing/scripts";
import { backend, gateway, gatewayWith } from "./testing/set-up";

const STREAM = { model: "m", stream: true, messages: [] };

describe("a client that leaves a stream", () => {
  it("frees its slot and its backend at once, wherever in the answer it leaves", async () => {
    const { rig, upstream } = await gateway(mixed, { model: { maxInFlight: 1 } });
    const moments: ((client: RawClient) => Promise<unknown>)[] = [
      () => Promise.resolve(),
      () => until(() => upstream.open === 1),
      (client) => until(() => client.received.length > 0),
      (client) => until(() => client.text.includes("w3")),
      (client) => until(() => client.text.includes("w9")),
    ];
    for (const leave of ["reset", "end"] as const) {
      for (const moment of moments) {
        const before = upstream.abandoned + upstream.requests.length;
        const client = await RawClient.send(rig.port, rawChat(STREAM));
        await moment(client);
        if (leave === "reset") client.reset();
        else client.socket.end();
        await until(() => rig.listener.activeCount === 0 && rig.inFlight === 0 && upstream.open === 0, SOON_MS);
        expect(upstream.abandoned + upstream.requests.length).toBeGreaterThanOrEqual(before);
        expect((await rig.chat()).status).toBe(200);
      }
    }
    expect(upstream.highWater).toBe(1);
    await expectNoLeak(rig, upstream, 1);
    expect(rig.records.filter((record) => record.outcome === "client_gone").length).toBeGreaterThan(5);
  });
});

describe("a client that leaves a plain call", () => {
  it.each(["/v1/chat/completions", "/v1/completions", "/v1/embeddings", "/v1/responses", "/v1/messages"])(
    "stops the backend's work at once on %s",
    async (path) => {
      const { rig, upstream } = await gateway((answer) => answer.hang());
      const client = await RawClient.send(rig.port, rawChat({ model: "m", messages: [], input: "x" }, { path }));
      await until(() => upstream.open === 1);
      client.reset();
      await until(() => upstream.open === 0 && rig.inFlight === 0, SOON_MS);
      expect(upstream.abandoned).toBe(1);
      await until(() => rig.records.length === 1);
      expect(rig.records[0]).toMatchObject({ outcome: "client_gone", statusCode: 499, admission: "fast" });
    },
  );
});

describe("a client that leaves the queue", () => {
  it("is dropped at once, uncharged, and reaches no backend", async () => {
    const { rig, upstream } = await gateway((answer) => answer.hang(), { model: { maxInFlight: 1 } });
    const holder = await RawClient.send(rig.port, rawChat({ model: "m", messages: [] }));
    await until(() => upstream.open === 1);
    const waiters = await Promise.all(
      Array.from({ length: 20 }, () => RawClient.send(rig.port, rawChat({ model: "m", messages: [] }))),
    );
    await until(() => rig.listener.activeCount === 21);
    for (const waiter of waiters) waiter.reset();
    await until(() => rig.listener.activeCount === 1, SOON_MS);
    await until(() => rig.records.length === 20);
    expect(rig.records.every((record) => record.outcome === "client_gone" && record.admission === "queued")).toBe(true);
    holder.reset();
    await until(() => rig.inFlight === 0);
    expect(upstream.requests.length).toBe(1);
    await expectNoLeak(rig, upstream, 1);
  });
});

describe("a wait that is too long", () => {
  it("ends with one 503 that says when to come back, and leaves nothing behind", async () => {
    const { rig, upstream } = await gateway((answer) => answer.hang(), {
      model: { maxInFlight: 1 },
      admissionTimeoutMs: 60,
    });
    const holder = await RawClient.send(rig.port, rawChat({ model: "m", messages: [] }));
    await until(() => upstream.open === 1);
    const answers = await Promise.all(Array.from({ length: 50 }, () => rig.chat()));
    for (const answer of answers) {
      expect(answer.status).toBe(503);
      expect(answer.headers.get("retry-after")).toBe("5");
      expect(await answer.json()).toEqual({
        error: {
          message: "timed out waiting for model capacity",
          type: "obleth_gateway_error",
          code: "admission_timeout",
          param: null,
        },
      });
    }
    expect(rig.records.every((record) => record.outcome === "timed_out" && record.admission === "queued")).toBe(true);
    expect(Math.min(...rig.records.map((record) => record.queueWaitMs))).toBeGreaterThanOrEqual(60);
    holder.reset();
    await until(() => rig.inFlight === 0);
    expect(upstream.requests.length).toBe(1);
    await expectNoLeak(rig, upstream, 1);
  });
});

describe("a backend that fails", () => {
  const html = response("<html>bad</html>", { status: 504, headers: ["content-type: text/html"] });
  const kinds: [string, Script, number][] = [
    ["with 502", json("nope", { status: 502 }), 502],
    ["with 504 and a page of HTML", (answer) => answer.write(html), 504],
    ["by resetting before any byte", (answer) => answer.reset(), 502],
    ["by closing before any byte", (answer) => answer.close(), 502],
    [
      "with a body that is no JSON",
      (answer) => answer.write(response("hello", { headers: ["content-type: text/plain"] })),
      502,
    ],
    ["with an empty body", (answer) => answer.write(response("")), 502],
    [
      "with a redirect",
      (answer) => answer.write(response("", { status: 302, headers: ["location: http://127.0.0.1/"] })),
      502,
    ],
    ["with bytes that are not HTTP", (answer) => answer.write("220 smtp ready\r\n\r\n"), 502],
    [
      "with two different lengths",
      (answer) => answer.write('HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\n{"a":1'),
      502,
    ],
    [
      "with length and chunks at once",
      (answer) =>
        answer.write(`HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n${LAST_CHUNK}`),
      502,
    ],
    [
      "by not accepting our credential",
      json({ error: { message: "bad key sk-secret-upstream" } }, { status: 401 }),
      502,
    ],
    ["by resetting a stream before its first event", breaksAfter(0, "reset"), 502],
  ];
  it.each(kinds)(
    "%s gives one clear error in the caller's dialect and the slot back",
    async (_name, script, status) => {
      const { rig, upstream } = await gateway(script, {
        model: { maxInFlight: 2 },
        endpoint: { apiKey: "sk-secret-upstream" },
      });
      for (const [path, type] of [
        ["/v1/chat/completions", "obleth_gateway_error"],
        ["/v1/messages", status === 504 ? "timeout_error" : "api_error"],
      ] as const) {
        const answer = await rig.post(path, { model: "m", messages: [], max_tokens: 5 });
        expect(answer.status).toBe(status);
        expect(answer.headers.get("content-type")).toBe("application/json");
        const text = await answer.text();
        expect(text).not.toContain("sk-secret-upstream");
        expect((JSON.parse(text) as { error: { type: string } }).error.type).toBe(type);
      }
      expect(rig.records.map((record) => record.outcome)).toEqual(["upstream_error", "upstream_error"]);
      await expectNoLeak(rig, upstream, 2);
    },
  );

  it("is a 502 when nothing listens there or its name does not exist", async () => {
    for (const base of ["http://127.0.0.1:1/v1", "http://nothing.invalid/v1", "https://127.0.0.1:1/v1"]) {
      const rig = await gatewayWith({ models: [model([endpoint(base)])] });
      expect((await rig.chat()).status).toBe(502);
      expect(rig.inFlight).toBe(0);
    }
  });

  it("is a 504 when it does not answer in time, and the backend is told to stop", async () => {
    const { rig, upstream } = await gateway((answer) => answer.hang(), { settings: { firstByteTimeoutMs: 150 } });
    const answer = await rig.chat();
    expect(answer.status).toBe(504);
    expect(await answer.json()).toMatchObject({ error: { code: "upstream_timeout" } });
    await until(() => upstream.open === 0, SOON_MS);
    await expectNoLeak(rig, upstream, 2);
  });

  it.each([
    ["good answer", "200 OK"],
    ["refusal", "400 Bad Request"],
  ])(
    "is a 504 as well when nothing follows the head of a %s, and it is not made to begin again",
    async (_name, status) => {
      const { rig, upstream } = await gateway(
        async (answer) => {
          await answer.write(`HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n`);
          await answer.hang();
        },
        { settings: { idleTimeoutMs: 100 } },
      );
      expect((await rig.chat()).status).toBe(504);
      await until(() => upstream.open === 0);
      expect(upstream.requests).toHaveLength(1);
      expect(rig.inFlight).toBe(0);
    },
  );

  it("never looks finished when it breaks off mid-stream: the client's connection breaks as well", async () => {
    const silent: Script = async (answer) => {
      await answer.write(STREAM_HEAD);
      await answer.write(chunk(event(delta("a"))));
      await answer.hang();
    };
    const noEnd: Script = async (answer) => {
      await answer.write(`HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n`);
      await answer.write(event(delta("a")));
      answer.close();
    };
    const cleanEnd: Script = async (answer) => {
      await answer.write(STREAM_HEAD);
      await answer.write(chunk(event(delta("a"))));
      await answer.write(LAST_CHUNK);
    };
    for (const script of [breaksAfter(3, "reset"), breaksAfter(3, "close"), silent, noEnd, cleanEnd]) {
      const { rig, upstream } = await gateway(script, { settings: { idleTimeoutMs: 150 }, model: { maxInFlight: 1 } });
      const client = await RawClient.send(rig.port, rawChat(STREAM));
      await until(() => client.isClosed);
      // What had not left the process when the backend broke off may be missing; what must not be there is an end.
      expect(client.statuses.filter((status) => status !== 200)).toEqual([]);
      expect(client.text.endsWith(LAST_CHUNK)).toBe(false);
      expect(rig.records[0]).toMatchObject({ outcome: "upstream_error" });
      await expectNoLeak(rig, upstream, 1);
    }
  });

  const pings: Script = async (answer) => {
    await answer.write(STREAM_HEAD);
    while (!answer.isGone) {
      await answer.write(chunk(": ping\n\n"));
      await answer.pause(20);
    }
  };

  it("does not hold a slot past the model's own limit with pings alone", async () => {
    const { rig, upstream } = await gateway(pings, { model: { requestTimeoutSecs: 0.3 } });
    const client = await RawClient.send(rig.port, rawChat(STREAM));
    await until(() => client.isClosed);
    await until(() => upstream.open === 0 && rig.inFlight === 0);
  });

  it("whose translated pings end at that limit is told as one that did not answer in time", async () => {
    const { rig } = await gateway(pings, { model: { requestTimeoutSecs: 0.3 } });
    const answer = await rig.post("/v1/messages", { model: "m", max_tokens: 9, stream: true, messages: [] });
    expect(answer.status).toBe(504);
    expect(await answer.json()).toMatchObject({ error: { type: "timeout_error", code: "upstream_timeout" } });
  });
});

describe("a client that stops reading", () => {
  it("is dropped after the stall limit, its backend is stopped, and little of the answer was held for it", async () => {
    const firehose: Script = async (answer) => {
      await answer.write(STREAM_HEAD);
      const kilobyte = chunk(event(delta("x".repeat(1000))));
      for (let i = 0; i < 100_000 && !answer.isGone; i++) await answer.write(kilobyte);
    };
    const { rig, upstream } = await gateway(firehose, { model: { maxInFlight: 1 }, settings: { clientStallMs: 300 } });
    const client = await RawClient.connect(rig.port);
    client.socket.pause();
    client.socket.write(rawChat(STREAM));
    await until(() => upstream.open === 1);
    await until(() => upstream.open === 0 && rig.inFlight === 0);
    expect(rig.records[0]).toMatchObject({ outcome: "client_gone" });
    client.reset();
    await expectNoLeak(rig, upstream, 1);
  });
});

describe("a request that is queued and then served", () => {
  it("says how long it waited", async () => {
    const { rig, upstream } = await gateway(chatStream(["a"], { gapMs: 30 }), { model: { maxInFlight: 1 } });
    const first = rig.chat({ stream: true });
    await until(() => upstream.open === 1);
    const second = await rig.chat({ stream: true });
    expect(second.headers.get("x-obleth-admission")).toBe("queued");
    expect(Number(second.headers.get("x-obleth-queue-wait-ms"))).toBeGreaterThan(0);
    await second.text();
    await (await first).text();
    expect(upstream.highWater).toBe(1);
  });
});

describe("a key's and a tenant's cap", () => {
  it("make its second request wait while others pass", async () => {
    const other = "sk_ffffffffffffffffffffffffffffffffffffffffffffffff";
    const upstream = await backend((answer) => answer.hang());
    const capped = key({ policy: { ...key().policy, maxInFlight: 1 } });
    const free = key({ policy: { ...key().policy, id: "k2" as typeof capped.policy.id } });
    const rig = await gatewayWith({
      models: [model([endpoint(upstream.base)])],
      keys: new Map([
        [SECRET, capped],
        [other, free],
      ]),
    });
    const first = await RawClient.send(rig.port, rawChat({ model: "m", messages: [] }));
    const second = await RawClient.send(rig.port, rawChat({ model: "m", messages: [] }));
    const third = await RawClient.send(rig.port, rawChat({ model: "m", messages: [] }).replace(SECRET, other));
    await until(() => upstream.open === 2);
    expect(rig.listener.activeCount).toBe(3);
    for (const client of [first, second, third]) client.reset();
    await until(() => rig.inFlight === 0 && rig.listener.activeCount === 0);
  });
});

describe("a slot that was granted before this process stood still for too long", () => {
  it("is given back unused with what was reserved, and its request asks for both again before it is sent", async () => {
    const asked: string[] = [];
    const slots = {
      stalls: 0,
      claim: (_claim: unknown, settle: (outcome: "granted", sinceLastFinishMs: null) => void) => {
        asked.push("claim");
        setImmediate(() => settle("granted", null));
      },
      release: () => void asked.push("release"),
      hold: () => void asked.push("hold"),
      dropHolds: () => undefined,
    };
    const key1 = key({ tenant: tenant({ tokensPerMinute: 1_000_000 }) });
    let reservations = 0;
    const budgets = {
      ...NO_BUDGETS,
      reserve: async () => {
        asked.push("reserve");
        if (reservations++ === 0) slots.stalls++;
        return { kind: "ok" } as const;
      },
      settle: (_spend: unknown, actual: { readonly tokens: number }) => {
        asked.push(`settle ${actual.tokens === 0 ? "nothing" : "something"}`);
      },
    };
    const { rig, upstream } = await gateway(json({ ok: true }), { slots, budgets, keys: new Map([[SECRET, key1]]) });
    rig.scheduler.setLimits({ slots: "shared", divisor: 1, ceiling: 100 });
    expect((await rig.chat()).status).toBe(200);
    const lost = ["claim", "reserve", "release", "settle nothing"];
    await until(() => asked.length >= 2 * lost.length);
    expect(asked).toEqual([...lost, "claim", "reserve", "release", "settle something"]);
    expect([upstream.requests.length, rig.inFlight]).toEqual([1, 0]);
  });
});
