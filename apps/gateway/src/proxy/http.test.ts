/** The gateway as an HTTP server: paths, methods, framing, encodings, expectations, browsers. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { KeyRecord } from "../policy-cache/records";
import { RawClient, rawChat } from "./testing/raw-client";
import { key, SECRET, until } from "./testing/rig";
import { completion, json, response } from "./testing/scripts";
import { gateway } from "./testing/set-up";

const ok = json(completion("ok"));
const CHAT = JSON.stringify({ model: "m", messages: [] });

describe("paths", () => {
  it("are taken with doubled and trailing slashes, a query, or an absolute form", async () => {
    const { rig, upstream } = await gateway(ok);
    for (const path of ["//v1//chat/completions", "/v1/chat/completions/", "/v1/chat/completions?api-version=1"]) {
      const client = await RawClient.send(rig.port, rawChat(CHAT, { path }));
      await until(() => client.statuses.length === 1);
      expect(client.statuses).toEqual([200]);
    }
    const absolute = await RawClient.send(rig.port, rawChat(CHAT, { path: "http://any.host/v1/chat/completions" }));
    await until(() => absolute.statuses.length === 1);
    expect(absolute.statuses).toEqual([200]);
    expect(upstream.requests.map((request) => request.path)).toEqual([
      "/v1/chat/completions",
      "/v1/chat/completions",
      "/v1/chat/completions?api-version=1",
      "/v1/chat/completions",
    ]);
  });

  it("that climb or hide what they mean are refused", async () => {
    const { rig } = await gateway(ok);
    for (const path of [
      "/v1/../v1/models",
      "/v1/models/..",
      "/v1/%2e%2e/models",
      "/v1%2Fmodels",
      "/v1/models/a%5Cb",
      "/v1\\models",
      "/./v1/models",
      "/v1/models/%zz",
    ]) {
      const client = await RawClient.send(
        rig.port,
        `GET ${path} HTTP/1.1\r\nhost: g\r\nauthorization: Bearer ${SECRET}\r\n\r\n`,
      );
      await until(() => client.statuses.length === 1);
      expect([path, client.statuses[0]]).toEqual([path, 400]);
    }
  });
});

describe("methods", () => {
  it("that an endpoint does not have get 405 with those it has", async () => {
    const { rig, upstream } = await gateway(ok);
    for (const method of ["GET", "PUT", "DELETE", "PATCH", "HEAD"]) {
      const answer = await fetch(`${rig.url}/v1/chat/completions`, { method });
      expect([method, answer.status, answer.headers.get("allow")]).toEqual([method, 405, "POST, OPTIONS"]);
    }
    const models = await fetch(`${rig.url}/v1/models`, { method: "POST", body: "{}" });
    expect([models.status, models.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
    expect(upstream.requests).toEqual([]);
  });

  it("HEAD and OPTIONS answer without a body and without running anything", async () => {
    const { rig } = await gateway(ok);
    const head = await fetch(`${rig.url}/v1/models`, { method: "HEAD", headers: { "x-api-key": SECRET } });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const options = await fetch(`${rig.url}/v1/chat/completions`, { method: "OPTIONS" });
    expect([options.status, options.headers.get("allow")]).toEqual([204, "POST, OPTIONS"]);
    for (let i = 0; i < 200; i++) await fetch(`${rig.url}/v1/models`, { method: "HEAD" });
    expect(rig.listener.activeCount).toBe(0);
  });

  it("OPTIONS of the whole server says what it answers, and no other method asks about that", async () => {
    const { rig } = await gateway(ok);
    const options = await RawClient.send(rig.port, "OPTIONS * HTTP/1.1\r\nhost: g\r\n\r\n");
    await until(() => options.statuses.length === 1);
    expect(options.text).toMatch(/^HTTP\/1.1 204 (?:.*\r\n)*allow: GET, HEAD, POST, OPTIONS\r\n/);
    const get = await RawClient.send(rig.port, `GET * HTTP/1.1\r\nhost: g\r\nx-api-key: ${SECRET}\r\n\r\n`);
    await until(() => get.statuses.length === 1);
    expect(get.statuses).toEqual([400]);
  });

  it("a request of HTTP/1.1 without a host gets 400 with a request id like any other; HTTP/1.0 knows none", async () => {
    const { rig, upstream } = await gateway(ok);
    const hostless = rawChat(CHAT).replace("host: gateway\r\n", "");
    const client = await RawClient.send(rig.port, hostless);
    await until(() => client.text.endsWith("}"));
    expect(client.statuses).toEqual([400]);
    expect(client.text).toMatch(/x-obleth-request-id: [0-9a-f-]{36}\r\n[\s\S]*Host header/);
    expect(upstream.requests).toEqual([]);
    const old = await RawClient.send(rig.port, hostless.replace("HTTP/1.1", "HTTP/1.0"));
    await until(() => old.isClosed);
    expect(old.statuses).toEqual([200]);
  });

  it("CONNECT is refused and Upgrade is ignored", async () => {
    const { rig } = await gateway(ok);
    const connect = await RawClient.send(rig.port, "CONNECT example.org:443 HTTP/1.1\r\nhost: example.org:443\r\n\r\n");
    await until(() => connect.isClosed);
    expect(connect.statuses.filter((status) => status < 400)).toEqual([]);
    const upgrade = await RawClient.send(
      rig.port,
      rawChat(CHAT, { headers: ["connection: upgrade", "upgrade: websocket"] }),
    );
    await until(() => upgrade.statuses.length === 1);
    expect(upgrade.statuses).toEqual([200]);
  });
});

describe("bodies", () => {
  const bad: [string, string][] = [
    ["empty", ""],
    ["not JSON", "hello"],
    ["cut off", '{"model":"m"'],
    ["an array", '[{"model":"m"}]'],
    ["without a model", "{}"],
    ["with a model that is no string", '{"model":5}'],
    ["with an empty model", '{"model":""}'],
    ["with two models", '{"model":"m","model":"other"}'],
    ["with two models, one escaped", '{"model":"m","mod\\u0065l":"other"}'],
    ["with two stream flags", '{"model":"m","stream":true,"stream":false}'],
    ["with a stream flag that is text", '{"model":"m","stream":"yes"}'],
    ["with a byte order mark", '\ufeff{"model":"m"}'],
    ["with a trailing comma", '{"model":"m",}'],
    ["with more after the object", '{"model":"m"} {}'],
    ["with single quotes", "{'model':'m'}"],
    ["with broken nesting", '{"model":"m","messages":[}]}'],
    ["with a bare control character", '{"model":"m","x":"a\u0001b"}'],
  ];
  it.each(bad)("%s get 400 in both dialects", async (_name, body) => {
    const { rig, upstream } = await gateway(ok);
    for (const path of ["/v1/chat/completions", "/v1/messages"]) {
      const answer = await rig.post(path, body);
      expect(answer.status).toBe(400);
      const type = path === "/v1/messages" ? "invalid_request_error" : "obleth_gateway_error";
      expect(await answer.json()).toMatchObject({ error: { type, code: "invalid_request" } });
    }
    expect(upstream.requests).toEqual([]);
  });

  it("nested deep, with every odd number, pass as they are", async () => {
    const { rig, upstream } = await gateway(ok);
    const deep = `{"model":"m","x":${"[".repeat(200)}${"]".repeat(200)},"n":[-0,1e400,9007199254740993,1.0],"__proto__":{"polluted":1}}`;
    expect((await rig.post("/v1/chat/completions", deep)).status).toBe(200);
    expect(upstream.requests[0]?.body.toString()).toBe(deep);
  });

  it.each(["/v1/chat/completions", "/v1/messages"])(
    "nested deeper than any server reads get 400 at %s, however deep, and never a fault of the gateway's",
    async (path) => {
      const { rig, upstream } = await gateway(ok);
      for (const member of ["x", "messages", "tools"]) {
        for (const levels of [1100, 7000, 100_000]) {
          const deep = `{"model":"m","max_tokens":9,"${member}":${"[".repeat(levels)}${"]".repeat(levels)}}`;
          const answer = await rig.post(path, deep);
          expect([member, levels, answer.status]).toEqual([member, levels, 400]);
          expect(await answer.text()).toContain("levels of nesting");
        }
      }
      expect(upstream.requests).toEqual([]);
      const bearable = `{"model":"m","max_tokens":9,"messages":[],"x":${"[".repeat(900)}${"]".repeat(900)}}`;
      expect((await rig.post(path, bearable)).status).toBe(200);
    },
  );

  it("over the limit get 413, by their declared length before a byte is read, else at the first byte too many", async () => {
    const { rig, upstream } = await gateway(ok, { settings: { maxBodyBytes: 1000 } });
    const declared = await RawClient.send(
      rig.port,
      rawChat(CHAT).replace(/content-length: \d+/, "content-length: 5000000"),
    );
    await until(() => declared.statuses.length === 1);
    expect(declared.statuses).toEqual([413]);
    const chunked = await RawClient.send(
      rig.port,
      `POST /v1/chat/completions HTTP/1.1\r\nhost: g\r\nauthorization: Bearer ${SECRET}\r\ntransfer-encoding: chunked\r\n\r\n`,
    );
    for (let i = 0; i < 3; i++) chunked.socket.write(`1f4\r\n${"a".repeat(500)}\r\n`);
    await until(() => chunked.statuses.length === 1);
    expect(chunked.statuses).toEqual([413]);
    expect(chunked.text).toContain("body_too_large");
    expect((await rig.post("/v1/messages", `{"model":"m","x":"${"a".repeat(1000)}"}`)).status).toBe(413);
    expect(upstream.requests).toEqual([]);
  });

  it("are decoded from every supported coding and reach the backend plain", async () => {
    const { rig, upstream } = await gateway(ok);
    // What the zstd command makes of the same text.
    const zstd = Buffer.from("28b52ffd0458d900007b226d6f64656c223a226d222c226d65737361676573223a5b5d7db9b098e9", "hex");
    const codings: [string, Buffer][] = [
      ["gzip", gzipSync(CHAT)],
      ["GZIP", gzipSync(CHAT)],
      ["x-gzip", gzipSync(CHAT)],
      ["br", brotliCompressSync(CHAT)],
      ["deflate", deflateSync(CHAT)],
      ["deflate", deflateRawSync(CHAT)],
      ["zstd", zstd],
      ["identity", Buffer.from(CHAT)],
    ];
    for (const [coding, body] of codings) {
      const answer = await fetch(`${rig.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${SECRET}`, "content-encoding": coding },
        body: new Uint8Array(body),
      });
      expect([coding, answer.status]).toEqual([coding, 200]);
      await answer.text();
      const seen = upstream.requests.at(-1);
      expect(seen?.body.toString()).toBe(CHAT);
      expect(seen?.headers.has("content-encoding")).toBe(false);
      expect(seen?.headers.get("content-length")).toBe(String(CHAT.length));
    }
  });

  it("in other codings get 415, corrupt ones 400, bombs 413", async () => {
    const { rig, upstream } = await gateway(ok);
    const send = (coding: string, body: Buffer): Promise<Response> =>
      fetch(`${rig.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${SECRET}`, "content-encoding": coding },
        body: new Uint8Array(body),
      });
    expect((await send("gzip, gzip", gzipSync(gzipSync(CHAT)))).status).toBe(415);
    expect((await send("lzma", Buffer.from(CHAT))).status).toBe(415);
    expect((await send("gzip", Buffer.from(CHAT))).status).toBe(400);
    expect((await send("gzip", gzipSync(CHAT).subarray(0, 20))).status).toBe(400);
    expect((await send("br", Buffer.from(CHAT))).status).toBe(400);
    expect((await send("zstd", Buffer.from(CHAT))).status).toBe(400);
    expect((await send("gzip", gzipSync(Buffer.alloc(8 * 1024 * 1024)))).status).toBe(413);
    expect((await send("br", brotliCompressSync(Buffer.alloc(2 * 1024 * 1024)))).status).toBe(413);
    expect(upstream.requests).toEqual([]);
  });
});

describe("Expect: 100-continue", () => {
  const head = (secret: string, length: number): string =>
    `POST /v1/chat/completions HTTP/1.1\r\nhost: g\r\nauthorization: Bearer ${secret}\r\nexpect: 100-continue\r\ncontent-length: ${length}\r\n\r\n`;

  it("is told to go on with a good key, and the backend hears nothing of it", async () => {
    const { rig, upstream } = await gateway(ok);
    const client = await RawClient.send(rig.port, head(SECRET, CHAT.length));
    await until(() => client.text.includes("100 Continue"));
    client.socket.write(CHAT);
    await until(() => client.statuses.length === 2);
    expect(client.statuses).toEqual([100, 200]);
    expect(upstream.requests[0]?.headers.has("expect")).toBe(false);
  });

  it("gets its final answer before the body with a bad key, a body too long or another expectation", async () => {
    const { rig } = await gateway(ok);
    const badKey = await RawClient.send(rig.port, head("sk_wrong", 5_000_000));
    const tooLong = await RawClient.send(rig.port, head(SECRET, 5_000_000));
    const other = await RawClient.send(rig.port, head(SECRET, 5).replace("100-continue", "a-miracle"));
    await until(() => [badKey, tooLong, other].every((client) => client.statuses.length === 1));
    expect([badKey.statuses, tooLong.statuses, other.statuses]).toEqual([[401], [413], [417]]);
  });
});

describe("framing", () => {
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: g\r\nauthorization: Bearer ${SECRET}\r\n`;
  const ambiguous: [string, string][] = [
    ["both length and chunks", `${head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
    ["two different lengths", `${head}content-length: 5\r\ncontent-length: 6\r\n\r\nhello`],
    ["an unknown transfer coding", `${head}transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n`],
    ["a space before the colon", `${head}transfer-encoding : chunked\r\n\r\n0\r\n\r\n`],
    ["a folded header", `${head}x-a: 1\r\n  2\r\ncontent-length : 0\r\n\r\n`],
    ["a NUL in a name", `${head}x\0a: 1\r\ncontent-length: 0\r\n\r\n`],
    ["an overflowing chunk size", `${head}transfer-encoding: chunked\r\n\r\nfffffffffffffffffff\r\n`],
    ["not HTTP", "hello world\r\n\r\n"],
  ];
  it.each(ambiguous)("that is ambiguous (%s) gets 400 and the connection closes", async (_name, bytes) => {
    const { rig, upstream } = await gateway(ok);
    const client = await RawClient.send(rig.port, bytes);
    await until(() => client.isClosed);
    expect(client.statuses).toEqual([400]);
    expect(upstream.requests).toEqual([]);
    expect(rig.listener.activeCount).toBe(0);
  });

  it("with 200 KB of headers gets 431", async () => {
    const { rig } = await gateway(ok);
    const client = await RawClient.send(rig.port, `${head}x-big: ${"a".repeat(200_000)}\r\n\r\n`);
    await until(() => client.statuses.length === 1);
    expect(client.statuses).toEqual([431]);
  });

  it("of pipelined requests gives each its own authentication, admission and answer, in order", async () => {
    const { rig, upstream } = await gateway(ok);
    const client = await RawClient.send(
      rig.port,
      rawChat(CHAT) + rawChat(CHAT).replace(SECRET, "sk_other") + rawChat(CHAT),
    );
    await until(() => client.statuses.length === 3);
    expect(client.statuses).toEqual([200, 401, 200]);
    expect(upstream.highWater).toBe(1);
    expect(upstream.requests.length).toBe(2);
  });
});

describe("a connection that breaks during an upload", () => {
  it("never harms the process, whenever it breaks", async () => {
    const { rig } = await gateway(ok);
    for (let i = 0; i < 100; i++) {
      const bytes = rawChat({ model: "m", messages: [{ role: "user", content: "x".repeat(5000) }] });
      const client = await RawClient.send(rig.port, bytes.slice(0, 1 + Math.floor((bytes.length * i) / 100)));
      await new Promise<void>((resolve) => setImmediate(resolve));
      client.reset();
    }
    await until(() => rig.listener.activeCount === 0 && rig.inFlight === 0);
    expect((await rig.chat()).status).toBe(200);
  });

  it("is dropped when it merely stops", async () => {
    const { rig } = await gateway(ok, { settings: { clientStallMs: 200 } });
    const client = await RawClient.send(rig.port, rawChat(CHAT).slice(0, -3));
    await until(() => client.isClosed);
    await until(() => rig.listener.activeCount === 0);
    expect(rig.records[0]).toMatchObject({ outcome: "client_gone", admission: "rejected" });
  });

  it("does not outlast its key: one that is revoked or disabled during a slow upload reaches no backend", async () => {
    const changes: [ReadonlyMap<string, KeyRecord>, number][] = [
      [new Map(), 401],
      [new Map([[SECRET, key({ disabled: true })]]), 403],
    ];
    for (const [keys, status] of changes) {
      const { rig, upstream } = await gateway(ok);
      const bytes = rawChat(CHAT);
      const sentAt = performance.now();
      const client = await RawClient.send(rig.port, bytes.slice(0, -3));
      await until(() => rig.listener.activeCount === 1);
      rig.keys = keys;
      await until(() => performance.now() - sentAt > 200);
      client.socket.write(bytes.slice(-3));
      await until(() => client.statuses.length > 0);
      expect(client.statuses).toEqual([status]);
      expect(upstream.requests).toHaveLength(0);
      await until(() => rig.records.length === 1);
      expect(rig.records[0]).toMatchObject({ outcome: "refused", admission: "rejected" });
    }
  });
});

describe("headers", () => {
  it("of one hop do not cross, in either direction, nor do the client's credentials", async () => {
    const answer = response(JSON.stringify(completion("x")), {
      headers: [
        "content-type: application/json",
        "connection: x-private",
        "x-private: 1",
        "keep-alive: timeout=5",
        "x-kept: yes",
        "set-cookie: a=b",
      ],
    });
    const { rig, upstream } = await gateway((script) => script.write(answer), {
      endpoint: { apiKey: "up-key", headers: { "X-Extra": "e" } },
    });
    const client = await RawClient.send(
      rig.port,
      rawChat(CHAT, {
        headers: [
          "connection: x-hop",
          "x-hop: 1",
          "te: trailers",
          "x-forwarded-for: 1.2.3.4",
          "cookie: c=d",
          "x-stainless-lang: js",
          "traceparent: 00-ab-cd-01",
          "x-extra: mine",
        ],
      }),
    );
    await until(() => client.statuses.length === 1);
    expect(client.text.toLowerCase()).toContain("x-kept: yes");
    expect(client.text.toLowerCase()).not.toMatch(/x-private|set-cookie/);
    const seen = upstream.requests[0]?.headers;
    for (const name of ["x-hop", "te", "x-forwarded-for", "cookie"])
      expect([name, seen?.has(name)]).toEqual([name, false]);
    expect(seen?.get("x-stainless-lang")).toBe("js");
    expect(seen?.get("traceparent")).toBe("00-ab-cd-01");
    expect(seen?.get("authorization")).toBe("Bearer up-key");
    expect(seen?.get("x-extra")).toBe("e");
  });

  it("and bytes of compressed answers pass untouched, whatever the coding", async () => {
    for (const [coding, body] of [
      ["gzip", gzipSync('{"a":1}')],
      ["br", brotliCompressSync('{"a":1}')],
      ["weird", Buffer.from([1, 2, 3])],
    ] as const) {
      const bytes = response(body, { headers: ["content-type: application/json", `content-encoding: ${coding}`] });
      const { rig } = await gateway((script) => script.write(bytes));
      const client = await RawClient.send(rig.port, rawChat(CHAT));
      await until(() => client.received.indexOf(body) >= 0);
      expect(client.text.toLowerCase()).toContain(`content-encoding: ${coding}`);
      expect(client.text.toLowerCase()).toContain(`content-length: ${body.length}`);
    }
  });

  it("keep idle connections longer than a balancer's minute", async () => {
    const { rig } = await gateway(ok);
    expect(rig.server.keepAliveTimeout).toBeGreaterThan(60_000);
    expect(rig.server.headersTimeout).toBeGreaterThan(rig.server.keepAliveTimeout);
    expect(rig.server.requestTimeout).toBe(0);
  });
});

describe("browsers", () => {
  const origin = "https://app.example";

  it("of named origins get their preflight before any key, and headers on errors too", async () => {
    const { rig, upstream } = await gateway(ok, { settings: { corsOrigins: [origin] } });
    const preflight = await fetch(`${rig.url}/v1/chat/completions`, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,x-stainless-os",
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe(origin);
    expect(preflight.headers.get("access-control-allow-headers")).toBe("authorization,x-stainless-os");
    const refused = await fetch(`${rig.url}/v1/models`, { headers: { origin } });
    expect(refused.status).toBe(401);
    expect(refused.headers.get("access-control-allow-origin")).toBe(origin);
    expect(refused.headers.get("access-control-expose-headers")).toContain("retry-after");
    expect((await rig.chat({}, { headers: { origin } })).headers.get("access-control-allow-origin")).toBe(origin);
    expect(upstream.requests.length).toBe(1);
  });

  it("of other origins, or while none are named, get nothing", async () => {
    for (const corsOrigins of [[], ["https://other.example"]]) {
      const { rig } = await gateway(ok, { settings: { corsOrigins } });
      const answer = await rig.chat({}, { headers: { origin } });
      expect(answer.headers.get("access-control-allow-origin")).toBeNull();
      // A cache between must not give one origin's answer to another.
      expect(answer.headers.get("vary")).toBe(corsOrigins.length === 0 ? null : "origin");
    }
    const { rig } = await gateway(ok, { settings: { corsOrigins: ["*"] } });
    expect((await rig.chat({}, { headers: { origin: "null" } })).headers.get("access-control-allow-origin")).toBeNull();
  });
});
