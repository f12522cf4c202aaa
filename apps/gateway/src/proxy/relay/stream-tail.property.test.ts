import fc from "fast-check";
import { expect, it } from "vitest";
import { StreamTail } from "./stream-tail";

const CHAT = { protocol: "openai", route: { answers: "json", upstreamPath: "/chat/completions" } } as const;
const END = "\ndata: [DONE]\n\n";

it("knows a stream's end among its last 4096 bytes, wherever the stream is cut, and forgets what is 8192 bytes ago", () => {
  const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 9000 })), {
    minLength: 1,
  });
  const lengths = fc.record({
    before: fc.nat(20_000),
    after: fc.oneof(fc.nat(4079), fc.integer({ min: 8192, max: 20_000 })),
  });
  fc.assert(
    fc.property(lengths, sizes, ({ before, after }, cuts) => {
      const bytes = Buffer.from("x".repeat(before) + END + "x".repeat(after));
      const tail = new StreamTail(CHAT);
      for (let at = 0, i = 0; at < bytes.length; i++) {
        const size = cuts[i % cuts.length] as number;
        tail.push(bytes.subarray(at, at + size));
        at += size;
      }
      expect(tail.isFinished()).toBe(after < 4096);
    }),
  );
});

it("sees past comments of any number and length, wherever the stream is cut, and takes none for the end", () => {
  const comment = fc.oneof(
    fc.constantFrom(": ping\n\n", ": ping\r\n\r\n", ":\n", ": data: [DONE]\n\n", ':{"finish_reason":"stop"}\n'),
    fc.nat(30_000).map((length) => `: ${"x".repeat(length)}\n\n`),
  );
  const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 9000 })), {
    minLength: 1,
  });
  fc.assert(
    fc.property(fc.array(comment, { maxLength: 300 }), fc.boolean(), sizes, (comments, isFinished, cuts) => {
      const bytes = Buffer.from(`data: {}\n${isFinished ? END : "\n"}${comments.join("")}`);
      const tail = new StreamTail(CHAT);
      for (let at = 0, i = 0; at < bytes.length; i++) {
        const size = cuts[i % cuts.length] as number;
        tail.push(bytes.subarray(at, at + size));
        at += size;
      }
      expect(tail.isFinished()).toBe(isFinished);
    }),
  );
});

it("of a stream without a byte is no end", () => {
  expect(new StreamTail(CHAT).isFinished()).toBe(false);
});
