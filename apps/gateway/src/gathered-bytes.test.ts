import { describe, expect, it } from "vitest";
import { GatheredBytes } from "./gathered-bytes";
import { arrayBufferBytes } from "./proxy/testing/heap";
import { until } from "./proxy/testing/rig";

const KB = 1024;

describe("bytes gathered piece by piece", () => {
  it.each([
    ["none", []],
    ["one", [7]],
    ["small ones", Array(9000).fill(300)],
    ["large ones", [300 * KB, 256 * KB, 2000 * KB]],
    [
      "small and large ones in turns",
      [10, 256 * KB, 256 * KB - 1, 1, 1100 * KB, 9, 200 * KB, 250 * KB, 255 * KB, 300 * KB, 4],
    ],
  ])("are the same as sent: %s", (_name, lengths: number[]) => {
    const sent = Buffer.from(Array.from({ length: lengths.reduce((a, b) => a + b, 0) }, (_, i) => i % 251));
    const gathered = new GatheredBytes();
    let from = 0;
    for (const length of lengths) {
      gathered.add(sent.subarray(from, from + length));
      from += length;
    }
    expect(gathered.size).toBe(sent.length);
    expect(gathered.takeWhole().equals(sent)).toBe(true);
    expect(gathered.size).toBe(0);
    expect(gathered.takeWhole()).toHaveLength(0);
  });

  it("take little more than their length, however small the pieces, and whatever they are cut from", async () => {
    const gathered = new GatheredBytes();
    const before = { buffers: arrayBufferBytes(), heap: process.memoryUsage().heapUsed };
    for (let i = 0; i < 100; i++) {
      const read = Buffer.allocUnsafeSlow(64 * KB);
      for (let at = 0; at < 64 * KB; at += 64) gathered.add(read.subarray(at, at + 1));
    }
    expect(gathered.size).toBe(102_400);
    await until(() => arrayBufferBytes() - before.buffers < 3 * 102_400);
    expect(process.memoryUsage().heapUsed - before.heap).toBeLessThan(2 * 1024 * KB);
    expect(gathered.takeWhole()).toHaveLength(102_400);
  });
});
