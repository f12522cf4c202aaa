/** A backend's answer arrives as it was sent: what it is coded in, how it is framed, and that it may be empty. */
import { brotliCompressSync, deflateSync, gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { RawClient, rawChat } from "./testing/raw-client";
import { until } from "./testing/rig";
import { chunk, completion, event, json, LAST_CHUNK, response } from "./testing/scripts";
import { gateway } from "./testing/set-up";

const TEXT = JSON.stringify(completion("compressed"));
/** The magic number of zstd and some bytes: nobody on the way needs to be able to read them. */
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 1, 2, 3, 0xff]);
const CODINGS: [string, Buffer][] = [
  ["gzip", gzipSync(TEXT)],
  ["br", brotliCompressSync(TEXT)],
  ["deflate", deflateSync(TEXT)],
  ["zstd", ZSTD],
  ["x-unheard-of", Buffer.from([1, 2, 3])],
];

/** The whole answer that a client gets. */
async function received(script: Parameters<typeof gateway>[0], over: object = {}): Promise<Buffer> {
  const { rig } = await gateway(script);
  const client = await RawClient.send(
    rig.port,
    rawChat({ model: "m", messages: [], ...over }, { headers: ["connection: close"] }),
  );
  await until(() => client.isClosed);
  expect(rig.records).toHaveLength(1);
  return client.received;
}

function parts(answer: Buffer): { head: string; body: Buffer } {
  const end = answer.indexOf("\r\n\r\n");
  return { head: answer.toString("latin1", 0, end).toLowerCase(), body: answer.subarray(end + 4) };
}

describe.each(CODINGS)("an answer in %s", (coding, bytes) => {
  const headers = ["content-type: application/json", `content-encoding: ${coding}`];

  it.each([200, 400])("with status %i keeps its bytes, its coding and its length", async (status) => {
    const { head, body } = parts(await received((answer) => answer.write(response(bytes, { status, headers }))));
    expect(head).toContain(`http/1.1 ${status} `);
    expect(head).toContain(`content-encoding: ${coding}`);
    expect(head).toContain(`content-length: ${bytes.length}`);
    expect(body.equals(bytes)).toBe(true);
  });

  it("in chunks keeps them too, and its trailers stay behind", async () => {
    const { head, body } = parts(
      await received((answer) =>
        answer.write(
          Buffer.concat([
            Buffer.from(`HTTP/1.1 200 OK\r\n${headers.join("\r\n")}\r\ntransfer-encoding: chunked\r\n\r\n`),
            chunk(bytes.subarray(0, 2)),
            chunk(bytes.subarray(2)),
            Buffer.from("0\r\nx-checksum: 1\r\n\r\n"),
          ]),
        ),
      ),
    );
    expect(head).toContain(`content-encoding: ${coding}`);
    expect(head).not.toContain("content-length");
    expect(body.includes("x-checksum")).toBe(false);
    expect(body.subarray(-LAST_CHUNK.length).toString()).toBe(LAST_CHUNK);
    expect(unchunked(body).equals(bytes)).toBe(true);
  });
});

it("a compressed stream reaches its client as it is", async () => {
  const stream = gzipSync(event(completion("x")) + event("[DONE]"));
  const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-encoding: gzip\r\n";
  const { body } = parts(
    await received(
      (answer) =>
        answer.write(
          Buffer.concat([
            Buffer.from(`${head}transfer-encoding: chunked\r\n\r\n`),
            chunk(stream),
            Buffer.from(LAST_CHUNK),
          ]),
        ),
      { stream: true },
    ),
  );
  expect(gunzipSync(unchunked(body)).toString()).toContain("[DONE]");
});

it("an empty answer stays empty: 204 has neither body nor length, and its connection serves the next request", async () => {
  const { rig, upstream } = await gateway((answer) =>
    answer.number === 1
      ? answer.write("HTTP/1.1 204 No Content\r\nx-said: nothing\r\n\r\n")
      : json(completion("next"))(answer),
  );
  const empty = await rig.chat();
  expect([empty.status, await empty.text(), empty.headers.get("content-length")]).toEqual([204, "", null]);
  expect(empty.headers.get("x-said")).toBe("nothing");
  expect((await rig.chat()).status).toBe(200);
  expect(upstream.connectionCount).toBe(1);
});

it("304, which answers a question nobody asked, is an error of the backend's", async () => {
  const { rig } = await gateway((answer) => answer.write("HTTP/1.1 304 Not Modified\r\n\r\n"));
  expect((await rig.chat()).status).toBe(502);
});

/** The body that HTTP chunks carry. */
function unchunked(bytes: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = bytes.indexOf("\r\n", at);
    const size = Number.parseInt(bytes.toString("latin1", at, end), 16);
    if (size === 0) return Buffer.concat(pieces);
    pieces.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}

describe("a translated answer that goes on without an end", () => {
  const megabyte = chunk(Buffer.alloc(1024 * 1024, "a"));

  it.each([
    ["one event", "text/event-stream", 'data: {"choices":[{"delta":{"content":"'],
    ["one body", "application/json", '{"choices":[{"message":{"content":"'],
  ])("in %s is an error after 4 MiB, and its backend is stopped", async (_name, type, first) => {
    let written = 0;
    const { rig, upstream } = await gateway(async (one) => {
      await one.write(`HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\n\r\n`);
      await one.write(chunk(first));
      for (; written < 60 && !one.isGone; written++) await one.write(megabyte);
    });
    const answer = await rig.post("/v1/messages", { model: "m", max_tokens: 9, messages: [], stream: true });
    expect(answer.status).toBe(502);
    expect(await answer.text()).toContain("more than the gateway may keep");
    await until(() => upstream.open === 0);
    // What the kernel's buffers took besides.
    expect(written).toBeLessThan(40);
  });
});

describe("an answer in any number of pieces", () => {
  const answer = JSON.stringify(completion("some words, and some more"));
  const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";

  it.each([1, 7, 64, answer.length])("of %i bytes each is whole on either path, translated or not", async (length) => {
    const pieces: Buffer[] = [];
    for (let at = 0; at < answer.length; at += length) pieces.push(chunk(answer.slice(at, at + length)));
    const bytes = Buffer.concat([
      Buffer.from(`${HEAD}transfer-encoding: chunked\r\n\r\n`),
      ...pieces,
      Buffer.from(LAST_CHUNK),
    ]);
    const { rig } = await gateway((one) => one.write(bytes));
    const passed = await rig.chat();
    expect([passed.status, await passed.text()]).toEqual([200, answer]);
    const translated = await rig.post("/v1/messages", { model: "m", max_tokens: 9, messages: [] });
    expect(translated.status).toBe(200);
    expect(await translated.json()).toMatchObject({ content: [{ text: "some words, and some more" }] });
  });

  it("that come one by one, of declared length, is whole when translated", async () => {
    const { rig } = await gateway(async (one) => {
      await one.write(`${HEAD}content-length: ${answer.length}\r\n\r\n`);
      for (const piece of [answer.slice(0, 9), answer.slice(9, 50), answer.slice(50)]) {
        await one.pause(20);
        await one.write(piece);
      }
    });
    const translated = await rig.post("/v1/messages", { model: "m", max_tokens: 9, messages: [] });
    expect(await translated.json()).toMatchObject({ type: "message", stop_reason: "end_turn" });
  });
});
