import { expect, it } from "vitest";
import { eventEnd, SseSplitter } from "./sse";

it("finds an event's end at the first blank line, whichever line breaks a server mixes", () => {
  for (const blank of ["\n\n", "\r\n\r\n", "\n\r\n", "\r\n\n"]) {
    for (const next of ["\n\n", "\r\n\r\n"]) {
      const first = `data: a${blank}`;
      const bytes = Buffer.from(`${first}data: b${next}data: c`);
      expect(eventEnd(bytes, 0)).toBe(first.length);
      expect(eventEnd(bytes, first.length)).toBe(bytes.length - "data: c".length);
      expect(eventEnd(bytes, bytes.length - 3)).toBe(-1);
      const events = new SseSplitter(1000).push(bytes);
      expect(events?.map(({ data }) => data)).toEqual(["a", "b"]);
    }
  }
});

const STREAM = "data: a\n\ndata: b\r\n\r\n: c\n\r\n\n\nevent: d\r\ndata: é\r\n\ndata: end";

/** What the splitter makes of the stream when it comes in pieces of these lengths, again and again. */
function eventsOf(lengths: readonly number[]): unknown[] {
  const splitter = new SseSplitter(1000);
  const bytes = Buffer.from(STREAM);
  const events: unknown[] = [];
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const length = lengths[i % lengths.length] as number;
    events.push(...(splitter.push(bytes.subarray(at, at + length)) ?? []));
    at += length;
  }
  return [...events, ...splitter.end()];
}

it("cuts a stream into the same events wherever its pieces are cut", () => {
  const whole = eventsOf([1000]);
  expect(whole).toHaveLength(6);
  for (let a = 1; a < STREAM.length; a++) {
    for (let b = 1; b < 8; b++) expect(eventsOf([a, b])).toEqual(whole);
  }
});

it("costs as much as the event is long, not its square, when that comes in small pieces, and gives up at the bound", () => {
  const splitter = new SseSplitter(8 * 1024 * 1024);
  const piece = Buffer.from("x".repeat(64));
  const before = process.cpuUsage();
  let pieces = 1;
  while (splitter.push(piece) !== null) pieces++;
  const { user, system } = process.cpuUsage(before);
  expect(pieces).toBe(131_073);
  // The square is 500 GB to copy: minutes. What is linear takes a tenth of a second.
  expect((user + system) / 1e6).toBeLessThan(10);
});
