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
