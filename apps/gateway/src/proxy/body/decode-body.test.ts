import { tenantId } from "@obleth/fairshare";
import { describe, expect, it } from "vitest";
import { BodyMemory } from "./body-memory";
import { type DecodedBody, decodeBody } from "./decode-body";

const MAX_BYTES = 1024 * 1024;
const MAGIC = [0x28, 0xb5, 0x2f, 0xfd];
/** Window descriptors: the power of two above 10, times 8. */
const WINDOW_2_GB = (20 << 3) | 7;
const WINDOW_16_MB = 14 << 3;
const WINDOW_8_MB = 13 << 3;

/** A frame of raw blocks. */
function frame(window: number, blocks: readonly string[]): Buffer {
  const parts = blocks.map((text, i) => {
    const header = (i === blocks.length - 1 ? 1 : 0) | (text.length << 3);
    return Buffer.concat([Buffer.from([header & 255, (header >> 8) & 255, header >> 16]), Buffer.from(text)]);
  });
  return Buffer.concat([Buffer.from([...MAGIC, 0, window]), ...parts]);
}

function decode(encoded: Buffer): Promise<DecodedBody> {
  const hold = new BodyMemory(4 * MAX_BYTES).open(tenantId("t"));
  return new Promise((resolve) => decodeBody(encoded, { encoding: "zstd", maxBytes: MAX_BYTES, hold }, resolve));
}

async function textOf(encoded: Buffer): Promise<string> {
  const decoded = await decode(encoded);
  return decoded.kind === "body" ? decoded.body.toString() : decoded.kind;
}

describe("a zstd body", () => {
  it("is decoded over all its frames and blocks, those to be skipped left out", async () => {
    const skipped = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
    const first = frame(WINDOW_8_MB, ["one ", "two "]);
    expect(await textOf(Buffer.concat([skipped, first, frame(0, ["three"]), skipped]))).toBe("one two three");
    const blocks = Array.from({ length: 100 }, (_, i) => `${i} `);
    expect(await textOf(frame(WINDOW_8_MB, blocks))).toBe(blocks.join(""));
  });

  it("of one block repeated a byte is counted by what it decodes to", async () => {
    const header = 1 | (1 << 1) | (100_000 << 3);
    const run = [header & 255, (header >> 8) & 255, header >> 16, 0x61];
    expect(await textOf(Buffer.from([...MAGIC, 0, WINDOW_8_MB, ...run]))).toBe("a".repeat(100_000));
    const more = [...run];
    more[0] = (run[0] as number) & ~1;
    const eleven = [...Array.from({ length: 10 }, () => more), run].flat();
    expect((await decode(Buffer.from([...MAGIC, 0, WINDOW_8_MB, ...eleven]))).kind).toBe("too-large");
  });

  it.each([
    ["a window of 2 GB", frame(WINDOW_2_GB, ["{}", "{}", "{}"])],
    ["a window above 8 MB in a later frame", Buffer.concat([frame(0, ["{}"]), frame(WINDOW_16_MB, ["{}"])])],
    ["a size of 2 GB in one segment", Buffer.from([...MAGIC, 0xa0, 0, 0, 0, 0x7f, 1, 0, 0])],
    ["a wide window moved by thousands of tiny blocks", frame(WINDOW_8_MB, Array(3000).fill("{}"))],
    ["thousands of frames with a wide window", Buffer.concat(Array(3000).fill(frame(WINDOW_8_MB, ["{}"])))],
  ])("with %s is refused before any of it is decoded", async (_name, encoded) => {
    expect((await decode(encoded)).kind).toBe("too-wide");
  });

  it("cut off anywhere is corrupt", async () => {
    const whole = Buffer.concat([frame(0, ["one", "two"]), frame(WINDOW_8_MB, ["three"])]);
    const firstLength = frame(0, ["one", "two"]).length;
    for (let length = 1; length < whole.length; length++) {
      if (length !== firstLength)
        expect([length, (await decode(whole.subarray(0, length))).kind]).toEqual([length, "corrupt"]);
    }
  });
});
