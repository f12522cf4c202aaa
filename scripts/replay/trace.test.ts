import { describe, expect, it } from "vitest";
import { ROOT } from "../launch/environment.mjs";
import { parseTrace, readTrace } from "./trace";

describe("parseTrace", () => {
  it("gives times after the first row, in milliseconds", () => {
    const csv =
      "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:26:16.0922330,1212,406\r\n2023-11-16 18:26:16.3348430,7,1\n";
    expect(parseTrace(csv)).toEqual([
      { atMs: 0, promptTokens: 1212, answerTokens: 406 },
      { atMs: 242, promptTokens: 7, answerTokens: 1 },
    ]);
  });

  it("names the line that is not of the form", () => {
    expect(() => parseTrace("head\n2023-11-16 18:26:16.09,x,1")).toThrow("line 2");
  });

  it("reads the slice that comes with the project", () => {
    const rows = readTrace(`${ROOT}/e2e/data/azure_conv_slice.csv`);
    expect(rows).toHaveLength(240);
    expect(rows.every((row, i) => i === 0 || row.atMs >= (rows[i - 1]?.atMs ?? 0))).toBe(true);
  });
});
