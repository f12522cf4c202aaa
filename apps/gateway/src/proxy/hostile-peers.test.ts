/** Clients and backends that speak badly on purpose, or break off at the worst moment. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { expectNoLeak } from "./testing/leaks";
import { RawClient, rawChat } from "./testing/raw-client";
import { endpoint, model, SECRET, until } from "./testing/rig";
import type { Script } from "./testing/scripted-upstream";
import { breaksAfter, chunk, completion, delta, event, json, LAST_CHUNK, STREAM_HEAD, stream } from "./testing/scripts";
import { gateway, gatewayWith } from "./testing/set-up";

const ok = json(completion("ok"));
const CHAT = { model: "m", messages: [{ role: "user", content: "hello" }] };
const HEAD = `POST /v1/chat/completions HTTP/1.1\r\nhost: g\r\nauthorization: Bearer ${SECRET}\r\n`;

describe("a request whose frame two servers could read differently", () => {
  const frames: [string, string][] = [
    ["lines that end in a bare LF", `POST /v1/chat/completions HTTP/1.1\nhost: g\ncontent-length: 2\n\n{}`],
    ["a tab in the transfer coding", `${HEAD}transfer-encoding:\tchunked x\r\n\r\n0\r\n\r\n`],
    ["chunks and then no coding", `${HEAD}transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n\r\n0\r\n\r\n`],
    ["a length that is no number", `${HEAD}content-length: +2\r\n\r\n{}`],
    ["a chunk size with a sign", `${HEAD}transfer-encoding: chunked\r\n\r\n-1\r\n\r\n`],
    ["a line feed inside a chunk's size", `${HEAD}transfer-encoding: chunked\r\n\r\n2\n{}\r\n0\r\n\r\n`],
    ["the same length twice", `${HEAD}content-length: 2\r\ncontent-length: 2\r\n\r\n{}`],
  ];
  it.each(frames)("(%s) is refused with 400, and nothing behind it is read", async (_name, bytes) => {
    const { rig, upstream } = await gateway(ok);
    const client = await RawClient.send(rig.port, bytes + rawChat(CHAT));
    await until(() => client.isClosed);
    expect(client.statuses).toEqual([400]);
    expect(client.text).toMatch(/\r\nx-obleth-request-id: [0-9a-f-]{36}\r\n/);
    expect(upstream.requests).toEqual([]);
  });
});

describe("bytes that are no request", () => {
  it("behind one whose answer is under way break that off, and what is said of them is no part of it", async () => {
    const { rig, upstream } = await gateway(stream([event(delta("one")), event(delta("two"))], { gapMs: 300 }));
    const client = await RawClient.send(rig.port, rawChat({ ...CHAT, stream: true }));
    await until(() => client.text.includes("one"));
    client.socket.write("no request\r\n\r\n");
    await until(() => client.isClosed);
    expect(client.statuses).toEqual([200]);
    await expectNoLeak(rig, upstream, 1);
  });
});

describe("a client that sends further requests before its first is answered", () => {
  const list = `GET /v1/models HTTP/1.1\r\nhost: g\r\nx-api-key: ${SECRET}\r\n\r\n`;

  it("gets an answer to each in turn, as long as no more than 64 wait", async () => {
    const { rig, upstream } = await gateway(ok);
    const client = await RawClient.send(rig.port, rawChat(CHAT) + list.repeat(64));
    await until(() => client.statuses.length === 65);
    expect(new Set(client.statuses)).toEqual(new Set([200]));
    client.socket.write(rawChat(CHAT) + list.repeat(64));
    await until(() => client.statuses.length === 130);
    await expectNoLeak(rig, upstream, 8);
  });

  it("loses its connection when more wait, before they take up memory", async () => {
    const { rig, upstream } = await gateway((answer) => answer.hang(), { model: { maxInFlight: 1 } });
    const client = await RawClient.send(rig.port, rawChat(CHAT) + list.repeat(65));
    await until(() => client.isClosed);
    expect(client.text).toBe("");
    await expectNoLeak(rig, upstream, 1);
  });
});

describe("a client of HTTP/1.0", () => {
  const old = (bytes: string): string => bytes.replace("HTTP/1.1", "HTTP/1.0");

  it("gets an answer whole or as it comes, without chunks, and the connection's end as its end", async () => {
    const words = [event(delta("one", "stop")), event("[DONE]")].join("");
    for (const script of [ok, stream([event(delta("one", "stop")), event("[DONE]")])]) {
      const { rig, upstream } = await gateway(script, { model: { maxInFlight: 1 } });
      const isStream = script !== ok;
      const client = await RawClient.send(rig.port, old(rawChat({ ...CHAT, stream: isStream })));
      await until(() => client.isClosed);
      expect(client.statuses).toEqual([200]);
      expect(client.text.toLowerCase()).not.toContain("transfer-encoding");
      expect(client.text.endsWith(`\r\n\r\n${isStream ? words : JSON.stringify(completion("ok"))}`)).toBe(true);
      await expectNoLeak(rig, upstream, 1);
    }
  });

  it("sees a reset where its answer broke off, since an end in order would make it look whole", async () => {
    const { rig, upstream } = await gateway(breaksAfter(3, "reset"), { model: { maxInFlight: 1 } });
    const client = await RawClient.connect(rig.port);
    const failed = once(client.socket, "close");
    client.socket.write(old(rawChat({ ...CHAT, stream: true })));
    await expect(failed).rejects.toMatchObject({ code: "ECONNRESET" });
    await expectNoLeak(rig, upstream, 1);
  });

  it("that expects to be told to go on is not told, since it knows no such word, and is served", async () => {
    const { rig } = await gateway(ok);
    const client = await RawClient.send(rig.port, old(rawChat(CHAT, { headers: ["expect: 100-continue"] })));
    await until(() => client.isClosed);
    expect(client.statuses).toEqual([200]);
  });
});

describe("methods that nobody calls a model with", () => {
  it.each(["TRACE", "PUT", "DELETE", "PROPFIND", "HEAD"])(
    "%s gets 405 with those there are, and runs nothing",
    async (method) => {
      const { rig, upstream } = await gateway(ok);
      for (const path of ["/v1/chat/completions", "/v1/messages", "/v1/audio/transcriptions"]) {
        const client = await RawClient.send(rig.port, rawChat(CHAT, { path }).replace("POST", method));
        await until(() => client.statuses.length === 1);
        expect(client.statuses).toEqual([405]);
        expect(client.text.toLowerCase()).toContain("allow: post, options");
        client.reset();
      }
      await until(() => rig.listener.activeCount === 0);
      expect([upstream.requests.length, rig.records.length]).toEqual([0, 0]);
    },
  );
});

describe("an answer whose frame cannot be trusted", () => {
  const body = JSON.stringify(completion("ok"));
  const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
  const frames: [string, string][] = [
    ["a NUL in a header's name", `${head}x\0y: 1\r\ncontent-length: ${body.length}\r\n\r\n${body}`],
    ["a length that is no number", `${head}content-length: 5x\r\n\r\n${body}`],
    ["an overflowing chunk size", `${head}transfer-encoding: chunked\r\n\r\nffffffffffffffffff\r\n${body}`],
    ["a chunk shorter than it says", `${head}transfer-encoding: chunked\r\n\r\n2\r\n{}x\r\n0\r\n\r\n`],
    ["100 KB of headers", `${head}x-big: ${"a".repeat(100_000)}\r\n\r\n`],
  ];
  it.each(frames)(
    "(%s) never reaches the client as a whole one, and its connection is not used again",
    async (_name, bytes) => {
      const { rig, upstream } = await gateway((answer) => answer.write(bytes), { model: { maxInFlight: 1 } });
      const client = await RawClient.send(rig.port, rawChat(CHAT, { headers: ["connection: close"] }));
      await until(() => client.isClosed);
      // 502, or an answer that broke off when its beginning had been passed on already.
      expect(client.statuses.every((status) => status === 502) || !client.text.endsWith(LAST_CHUNK)).toBe(true);
      await until(() => upstream.connectionCount === 0);
      expect(rig.records[0]).toMatchObject({ outcome: "upstream_error" });
      await expectNoLeak(rig, upstream, 1);
    },
  );

  it("cannot smuggle a second answer in behind the first", async () => {
    const second = 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"evil":1}';
    const { rig, upstream } = await gateway((answer) =>
      answer.write(`${head}content-length: ${body.length}\r\n\r\n${body}${answer.number === 1 ? second : ""}`),
    );
    for (let i = 0; i < 5; i++) expect(await (await rig.chat()).text()).toBe(body);
    expect(upstream.requests).toHaveLength(5);
  });
});

describe("a server that is not what the endpoint says", () => {
  it("is a 502 when it does not speak TLS", async () => {
    const server = createServer((_request, response) => response.end());
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const rig = await gatewayWith({ models: [model([endpoint(`https://127.0.0.1:${port}/v1`)])] });
    expect((await rig.chat()).status).toBe(502);
    await until(() => rig.inFlight === 0);
    server.closeAllConnections();
    server.close();
  });
});

describe("a connection that is reset", () => {
  const big = rawChat({ ...CHAT, x: "x".repeat(200_000) });
  const moments: [string, string, number][] = [
    ["before the key has come", big.slice(0, 60), 0],
    ["after a key that nobody knows was refused", big.replace(SECRET, "sk_unknown").slice(0, 5000), 401],
    ["after a body too long was refused", big.replace(/content-length: \d+/, "content-length: 99999999"), 413],
    ["in the middle of its body", big.slice(0, 100_000), 0],
    ["right behind its last byte", big, 0],
  ];
  it.each(moments)("%s harms nobody, a hundred times", async (_name, bytes, status) => {
    const { rig, upstream } = await gateway(ok, { model: { maxInFlight: 4 } });
    for (let i = 0; i < 100; i++) {
      const client = await RawClient.send(rig.port, bytes);
      if (status > 0) await until(() => client.statuses.length > 0 || client.isClosed);
      client.reset();
    }
    await until(() => rig.listener.activeCount === 0);
    await expectNoLeak(rig, upstream, 4);
  });

  it("by the backend at any byte of its answer harms nobody either", async () => {
    const whole = Buffer.concat([
      Buffer.from(STREAM_HEAD),
      Buffer.from(chunk(event(delta("a")))),
      Buffer.from(chunk(event("[DONE]"))),
      Buffer.from(LAST_CHUNK),
    ]);
    const cuts: Script = async (answer) => {
      await answer.write(whole.subarray(0, (answer.number * 7) % whole.length));
      answer.reset();
    };
    const { rig, upstream } = await gateway(cuts, { model: { maxInFlight: 2 } });
    for (let i = 0; i < 60; i++)
      await rig
        .chat({ stream: true })
        .then((answer) => answer.text())
        .catch(() => undefined);
    await until(() => rig.records.length === 60);
    expect(new Set(rig.records.map((record) => record.outcome))).toEqual(new Set(["upstream_error"]));
    await expectNoLeak(rig, upstream, 2);
  });
});

describe("a client that closes only its sending half", () => {
  it("has left: its backend is stopped and its slot is free", async () => {
    const { rig, upstream } = await gateway((answer) => answer.hang(), { model: { maxInFlight: 1 } });
    const client = await RawClient.send(rig.port, rawChat(CHAT));
    await until(() => upstream.open === 1);
    client.socket.end();
    await until(() => upstream.open === 0 && rig.inFlight === 0);
    await until(() => rig.records.length === 1);
    expect(rig.records[0]).toMatchObject({ outcome: "client_gone", statusCode: 499 });
  });
});

describe("a client that waits for a slot", () => {
  it("has been sent nothing yet, so that its status can still be 503", async () => {
    const { rig, upstream } = await gateway((answer) => answer.hang(), {
      model: { maxInFlight: 1 },
      admissionTimeoutMs: 300,
    });
    const holder = await RawClient.send(rig.port, rawChat(CHAT));
    await until(() => upstream.open === 1);
    const waiting = await RawClient.send(rig.port, rawChat({ ...CHAT, stream: true }));
    await until(() => rig.listener.activeCount === 2);
    expect(waiting.received.length).toBe(0);
    await until(() => waiting.statuses.length > 0);
    expect(waiting.statuses).toEqual([503]);
    holder.reset();
  });

  it("and leaves just as its time runs out gets no answer twice and no slot", async () => {
    const { rig, upstream } = await gateway((answer) => answer.hang(), {
      model: { maxInFlight: 1 },
      admissionTimeoutMs: 100,
    });
    const holder = await RawClient.send(rig.port, rawChat(CHAT));
    await until(() => upstream.open === 1);
    const waiters = await Promise.all(
      Array.from({ length: 60 }, () => RawClient.send(rig.port, rawChat(CHAT, { headers: ["connection: close"] }))),
    );
    await until(() => waiters.some((waiter) => waiter.statuses.length > 0));
    for (const waiter of waiters.slice(0, 30)) waiter.reset();
    await until(() => rig.listener.activeCount === 1);
    await until(() => waiters.every((waiter) => waiter.isClosed));
    for (const waiter of waiters) expect(waiter.statuses.length).toBeLessThanOrEqual(1);
    for (const waiter of waiters.slice(30)) expect(waiter.statuses).toEqual([503]);
    holder.reset();
    await expectNoLeak(rig, upstream, 1);
    expect(upstream.requests).toHaveLength(2);
    await until(() => rig.records.length === 62);
    expect(new Set(rig.records.map((record) => record.requestId)).size).toBe(62);
  });
});

describe("names that every object has", () => {
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "prototype", "0", "-1"];
  it("are ordinary as sessions, headers, parameters and members at any depth", async () => {
    const { rig, upstream } = await gateway(ok);
    for (const name of names) {
      const body = `{"model":"m","${name}":{"${name}":{"polluted":1}},"messages":[{"role":"user","${name}":"x","content":"y"}],"metadata":{"${name}":"z","session_id":"${name}"}}`;
      const answer = await rig.post(`/v1/chat/completions?${encodeURIComponent(name)}=1`, body, {
        headers: { [name]: "value" },
      });
      expect(answer.status, name).toBe(200);
      await answer.text();
      expect(upstream.requests.at(-1)?.body.toString()).toBe(body);
      await until(() => rig.records.at(-1)?.sessionId === name);
    }
    expect("polluted" in {}).toBe(false);
  });
});

describe("a request that takes longer than anything that cleans up", () => {
  const endings: [string, Script][] = [
    ["before its answer", (answer) => answer.pause(1500).then(() => json(completion("late"))(answer))],
    ["in the middle of it", breaksAfter(2, "reset")],
  ];
  it.each(endings)("leaves one record with its true length, also when it takes its time %s", async (_name, script) => {
    const { rig } = await gateway(script);
    const start = performance.now();
    await rig
      .chat({ stream: true })
      .then((answer) => answer.text())
      .catch(() => undefined);
    const tookMs = performance.now() - start;
    await until(() => rig.records.length > 0);
    expect(rig.records).toHaveLength(1);
    expect(Math.abs((rig.records[0]?.totalMs ?? 0) - tookMs)).toBeLessThan(500);
  });
});
