/** A client that takes nothing: whatever form an answer has, its backend is held back and little is kept for it. */
import { describe, expect, it } from "vitest";
import { RawClient, rawChat } from "./testing/raw-client";
import { SOON_MS, until } from "./testing/rig";
import { chunk, delta, event, STREAM_HEAD } from "./testing/scripts";
import { gateway } from "./testing/set-up";

const MEGABYTE = 1024 * 1024;
const words = (bytes: number): string => event(delta("x".repeat(1000))).repeat(Math.ceil(bytes / 1100));
const JSON_HEAD = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`;

/** What the answer begins with, and a megabyte of it to be repeated. */
const forms: [string, { path?: string; head: string; first: string; more: Buffer }][] = [
  ["one JSON body", { head: JSON_HEAD, first: '["', more: Buffer.alloc(MEGABYTE, "a") }],
  ["events whose usage is looked for", { head: STREAM_HEAD, first: ": hello\n\n", more: Buffer.from(words(MEGABYTE)) }],
  ["one event without an end", { head: STREAM_HEAD, first: "data: ", more: Buffer.alloc(MEGABYTE, "a") }],
  [
    "one usage object without an end",
    { head: STREAM_HEAD, first: 'data: {"usage":{"x":"', more: Buffer.alloc(MEGABYTE, "a") },
  ],
  [
    "events that are translated",
    { path: "/v1/messages", head: STREAM_HEAD, first: ": hello\n\n", more: Buffer.from(words(MEGABYTE)) },
  ],
];

describe("a client that reads nothing of", () => {
  it.each(forms)(
    "%s stops its backend after what sockets take, and is not heard of when it leaves",
    async (_name, form) => {
      let written = 0;
      const more = chunk(form.more);
      const { rig, upstream } = await gateway(async (answer) => {
        await answer.write(Buffer.concat([Buffer.from(form.head), chunk(form.first)]));
        for (let i = 0; i < 60 && !answer.isGone; i++) {
          await answer.write(more);
          written += more.length;
        }
      });
      const client = await RawClient.connect(rig.port);
      client.socket.pause();
      const { path } = form;
      const body = { model: "m", stream: form.head === STREAM_HEAD, messages: [], max_tokens: 5 };
      client.socket.write(rawChat(body, path === undefined ? {} : { path }));
      await until(() => written > 0);
      // The kernel's own buffers take some megabytes; then nothing moves.
      for (let before = -1; before !== written; ) {
        before = written;
        await new Promise<void>((resolve) => setTimeout(resolve, SOON_MS / 2));
      }
      expect(written).toBeLessThan(30 * MEGABYTE);
      expect([upstream.open, rig.inFlight]).toEqual([1, 1]);
      client.reset();
      await until(() => rig.inFlight === 0 && upstream.open === 0);
      expect(rig.records[0]).toMatchObject({ outcome: "client_gone" });
    },
  );
});
