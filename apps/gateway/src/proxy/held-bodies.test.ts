/** The memory for request bodies: what is counted, when it is given back, and what a call meets for which there is no room. */
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import Anthropic from "@anthropic-ai/sdk";
import { tenantId } from "@obleth/fairshare";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { arrayBufferBytes } from "./testing/heap";
import { expectNoLeak } from "./testing/leaks";
import { RawClient, rawChat } from "./testing/raw-client";
import { key, type Rig, SECRET, tenant, until } from "./testing/rig";
import type { Script, ScriptedAnswer } from "./testing/scripted-upstream";
import { chatStream, completion, json } from "./testing/scripts";
import { gateway } from "./testing/set-up";

const KB = 1024;
const MB = 1024 * KB;
const ok = json(completion("ok"));
const hangs: Script = (answer) => answer.hang();

/** A chat of exactly that many bytes. */
function bodyOf(bytes: number, members = ""): string {
  const empty = `{"model":"m",${members}"max_tokens":9,"messages":[{"role":"user","content":""}]}`;
  return empty.replace('content":""', `content":"${"x".repeat(bytes - empty.length)}"`);
}

const settings = (bodyMemoryBytes: number) => ({ settings: { maxBodyBytes: 64 * MB, bodyMemoryBytes } });

/** Sends bodies that stay: one runs, the others wait. */
async function fill(rig: Rig, bodies: readonly string[]): Promise<RawClient[]> {
  const clients: RawClient[] = [];
  for (const body of bodies) {
    const before = rig.listener.heldBodyBytes;
    clients.push(await RawClient.send(rig.port, rawChat(body)));
    await until(() => rig.listener.heldBodyBytes === before + body.length);
  }
  return clients;
}

async function expectEmpty(rig: Rig): Promise<void> {
  await until(() => rig.listener.activeCount === 0);
  expect(rig.listener.heldBodyBytes).toBe(0);
}

describe("503", () => {
  it.each([
    ["/v1/chat/completions", { error: { type: "obleth_gateway_error", code: "admission_timeout" } }],
    ["/v1/messages", { type: "error", error: { type: "overloaded_error", code: "admission_timeout" } }],
  ])("is what a body without room gets on %s: to be tried again, recorded, nothing sent on", async (path, shape) => {
    const { rig, upstream } = await gateway(hangs, { ...settings(2 * MB), model: { maxInFlight: 1 } });
    const [running, waiting] = await fill(rig, [bodyOf(400 * KB), bodyOf(400 * KB)]);
    const refused = await rig.post(path, bodyOf(300 * KB));
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("5");
    expect(await refused.json()).toMatchObject(shape);
    expect(rig.records).toMatchObject([{ admission: "rejected", outcome: "refused", statusCode: 503 }]);
    expect(rig.lines.map(({ event }) => event)).toContain("bodies.no_room");
    expect(rig.listener.heldBodyBytes).toBe(800 * KB);
    expect(upstream.requests).toHaveLength(1);
    waiting?.reset();
    await until(() => rig.listener.heldBodyBytes === 400 * KB);
    upstream.script = ok;
    running?.reset();
    expect((await rig.post("/v1/chat/completions", bodyOf(700 * KB))).status).toBe(200);
    await expectEmpty(rig);
  });

  it("comes before a byte is read where the length is declared, also to who waits for a 100", async () => {
    const { rig } = await gateway(hangs, settings(2 * MB));
    await fill(rig, [bodyOf(400 * KB)]);
    const head = rawChat("").replace("content-length: 0", `content-length: ${700 * KB}`);
    for (const extra of ["", "expect: 100-continue\r\n"]) {
      const client = await RawClient.send(rig.port, head.replace("host:", `${extra}host:`));
      await until(() => client.statuses.length > 0);
      expect(client.statuses).toEqual([503]);
      expect(client.text.toLowerCase()).toContain("connection: close");
      client.reset();
    }
    expect(rig.listener.heldBodyBytes).toBe(400 * KB);
  });

  it("comes in the middle of a body of unknown length, which is let go at once", async () => {
    const { rig } = await gateway(hangs, settings(2 * MB));
    await fill(rig, [bodyOf(500 * KB)]);
    const client = await RawClient.send(
      rig.port,
      `POST /v1/chat/completions HTTP/1.1\r\nhost: g\r\nauthorization: Bearer ${SECRET}\r\ntransfer-encoding: chunked\r\n\r\n`,
    );
    for (let i = 0; i < 20 && !client.isClosed; i++) client.socket.write(`8000\r\n${"x".repeat(32 * KB)}\r\n`);
    await until(() => client.statuses.length > 0);
    expect(client.statuses).toEqual([503]);
    expect(rig.listener.heldBodyBytes).toBe(500 * KB);
  });

  it("is tried again by the official clients until there is room", async () => {
    const { rig, upstream } = await gateway(hangs, settings(2 * MB));
    const [first] = await fill(rig, [bodyOf(700 * KB)]);
    upstream.script = ok;
    const content = "x".repeat(400 * KB);
    const messages = [{ role: "user" as const, content }];
    // Their own wait is what `Retry-After` says; the answers are hurried so that the test need not wait.
    const hurried: typeof fetch = async (...call) => {
      const answer = await fetch(...call);
      if (answer.status !== 503) return answer;
      first?.reset();
      await until(() => rig.listener.heldBodyBytes === 0);
      return new Response(await answer.text(), { status: 503, headers: { "retry-after-ms": "1" } });
    };
    const openai = new OpenAI({ baseURL: `${rig.url}/v1`, apiKey: SECRET, fetch: hurried });
    expect((await openai.chat.completions.create({ model: "m", messages })).choices[0]?.message.content).toBe("ok");
    const anthropic = new Anthropic({ baseURL: rig.url, apiKey: SECRET, fetch: hurried });
    expect((await anthropic.messages.create({ model: "m", max_tokens: 9, messages })).content).toHaveLength(1);
    expect(rig.records.map((record) => record.statusCode)).toContain(503);
    await expectEmpty(rig);
  });
});

describe("the memory", () => {
  it("has room for a tenant that holds little, whatever another one sends or leaves half sent", async () => {
    const other = key({ tenant: tenant({ id: tenantId("t2") }) });
    const keys = new Map([
      [SECRET, key()],
      ["sk_other", other],
    ]);
    const { rig, upstream } = await gateway(hangs, { ...settings(2 * MB), model: { maxInFlight: 2 }, keys });
    await fill(rig, [bodyOf(500 * KB)]);
    const half = rawChat(bodyOf(520 * KB)).slice(0, -9);
    await RawClient.send(rig.port, half);
    await until(() => rig.listener.heldBodyBytes > 1000 * KB);
    upstream.script = ok;
    expect((await rig.post("/v1/chat/completions", bodyOf(30 * KB))).status).toBe(503);
    const headers = { authorization: "Bearer sk_other" };
    expect((await rig.post("/v1/chat/completions", bodyOf(500 * KB), { headers })).status).toBe(200);
  });

  it.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["deflate", deflateSync],
  ])("counts what a %s body becomes, and both forms while it is decoded", async (encoding, compress) => {
    const { rig, upstream } = await gateway(hangs, settings(2 * MB));
    const send = (bytes: number) => {
      const packed = compress(Buffer.from(bodyOf(bytes)));
      const head = rawChat("", { headers: [`content-encoding: ${encoding}`] });
      return RawClient.send(
        rig.port,
        Buffer.concat([Buffer.from(head.replace("content-length: 0", `content-length: ${packed.length}`)), packed]),
      );
    };
    await send(600 * KB);
    await until(() => upstream.requests.length === 1);
    expect(rig.listener.heldBodyBytes).toBe(600 * KB);
    const refused = await send(500 * KB);
    await until(() => refused.statuses.length > 0);
    expect(refused.statuses).toEqual([503]);
    expect(rig.listener.heldBodyBytes).toBe(600 * KB);
  });

  it("counts a translation beside what it was made from, and refuses it before it waits", async () => {
    const { rig, upstream } = await gateway(hangs, settings(2 * MB));
    const body = bodyOf(400 * KB);
    const held = rig.post("/v1/messages", body).catch(() => null);
    await until(() => upstream.requests.length === 1);
    const { length } = upstream.requests[0]?.body ?? { length: 0 };
    expect(rig.listener.heldBodyBytes).toBe(body.length + length - '"model":"m",'.length);
    expect((await rig.post("/v1/messages", bodyOf(150 * KB))).status).toBe(503);
    expect(upstream.requests).toHaveLength(1);
    rig.server.closeAllConnections();
    await held;
    await expectEmpty(rig);
  });

  it("is empty after any mix of departures, refusals, broken bodies, failures and timeouts", async () => {
    const { rig, upstream } = await gateway(
      (answer: ScriptedAnswer) =>
        [ok, hangs, chatStream(["a", "b"]), (one: ScriptedAnswer) => one.reset()][answer.number % 4]?.(answer),
      { settings: { maxBodyBytes: 200 * KB, bodyMemoryBytes: MB, firstByteTimeoutMs: 100 }, admissionTimeoutMs: 50 },
    );
    const bytes = Buffer.from(bodyOf(150 * KB, '"stream":true,'));
    const packed = gzipSync(Buffer.from(bodyOf(190 * KB)));
    const sent: [string, Buffer][] = [
      ["", bytes],
      ["", bytes.subarray(0, 100 * KB)],
      ["", Buffer.from(bodyOf(201 * KB))],
      ["", Buffer.from("{".repeat(90 * KB))],
      ["content-encoding: gzip", packed],
      ["content-encoding: gzip", packed.subarray(0, packed.length - 9)],
      ["content-encoding: gzip", gzipSync(Buffer.alloc(MB, "{"))],
      ["content-encoding: br", packed],
      ["content-encoding: zstd", Buffer.from("28b52ffd0458d900007b226d6f64656c", "hex")],
      ["transfer-encoding: chunked", Buffer.from(`10000\r\n${"x".repeat(64 * KB)}\r\nnonsense\r\n`)],
    ];
    const clients: Promise<void>[] = [];
    for (let i = 0; i < 120; i++) {
      const [header, body] = sent[i % sent.length] as [string, Buffer];
      const path = i % 3 === 0 ? "/v1/messages" : "/v1/chat/completions";
      const isPart = body.length === 100 * KB;
      const length = isPart ? bytes.length : body.length;
      const head = rawChat("", { path, headers: ["connection: close", ...(header === "" ? [] : [header])] }).replace(
        "content-length: 0\r\n",
        header.startsWith("transfer") ? "" : `content-length: ${length}\r\n`,
      );
      const client = await RawClient.send(rig.port, Buffer.concat([Buffer.from(head), body]));
      if (isPart || i % 7 === 0) setTimeout(() => (i % 2 === 0 ? client.reset() : client.socket.end()), i % 30);
      clients.push(
        new Promise((resolve) => (client.isClosed ? resolve() : client.socket.once("close", () => resolve()))),
      );
    }
    await Promise.all(clients);
    await expectEmpty(rig);
    const statuses = new Set(rig.records.map((record) => record.statusCode));
    for (const status of [400, 413, 499]) expect(statuses).toContain(status);
    await expectNoLeak(rig, upstream, 8);
    expect(rig.listener.heldBodyBytes).toBe(0);
  });

  it("says what is held: one copy of each body that waits, and of one that runs with its name and options changed", async () => {
    const { rig, upstream } = await gateway(hangs, {
      ...settings(512 * MB),
      model: { maxInFlight: 2 },
      endpoint: { upstreamModel: "other" },
    });
    const before = arrayBufferBytes();
    const body = bodyOf(4 * MB, '"stream":true,');
    const clients = await fill(rig, Array(6).fill(body));
    await until(() => upstream.requests.length === 2);
    upstream.requests.length = 0;
    // The backend of this very process keeps what it has read twice.
    const readBytes = 4 * body.length;
    await until(() => arrayBufferBytes() - before < rig.listener.heldBodyBytes + readBytes + MB);
    for (const client of clients) client.reset();
    await expectEmpty(rig);
    await until(() => arrayBufferBytes() - before < MB);
  });

  it("keeps nothing of a body whose request has ended, though its client stays", async () => {
    const { rig, upstream } = await gateway(ok, settings(512 * MB));
    const before = arrayBufferBytes();
    const client = await RawClient.send(rig.port, rawChat(bodyOf(16 * MB)));
    await until(() => client.statuses.length === 1);
    await expectEmpty(rig);
    upstream.requests.length = 0;
    // The backend of this very process keeps what it has read once more.
    await until(() => arrayBufferBytes() - before < (16 + 2) * MB);
    expect(client.isClosed).toBe(false);
  });
});
