import { describe, expect, it } from "vitest";
import { delta, event } from "../testing/scripts";
import { FirstEvent } from "./first-event";

/** Where the first event was seen, in bytes from the start, fed `size` bytes at a time; -1 when never. */
function seenAt(bytes: string, size: number): number {
  const first = new FirstEvent();
  const all = Buffer.from(bytes);
  for (let at = 0; at < all.length; at += size) {
    if (first.push(all.subarray(at, at + size))) return Math.min(all.length, at + size);
  }
  return -1;
}

const PINGS = 'event: ping\ndata: {"type": "ping"}\n\ndata: {"type":"ping"}\n\n';
const QUIET = `: one\n\n:\r\n\r\n: data: x\nid: 7\n\nevent:ping\r\ndata: {}\r\n\r\n${PINGS}: ${"x".repeat(5000)}\n\n`;

describe("the first event of a stream", () => {
  it.each([1, 2, 7, 100, 10_000])("is neither a comment nor a ping, in pieces of %i bytes", (size) => {
    expect(seenAt(QUIET, size)).toBe(-1);
    const at = seenAt(QUIET + event(delta("a")), size);
    expect(at).toBeGreaterThan(QUIET.length);
  });

  it("may have a name, no space and any line end", () => {
    for (const bytes of ["event: message_start\r\ndata:{}\r\n\r\n", "event: x\nid: 1\ndata: {}\n\n", "data:\n\n"]) {
      expect(seenAt(bytes, 3)).toBeGreaterThan(0);
    }
  });

  it("is seen long before the end of its line", () => {
    expect(seenAt(`data: {"choices":[{"delta":{"content":"${"x".repeat(100_000)}`, 100)).toBe(100);
  });
});
