import { describe, expect, it } from "vitest";
import { changeSettings, DEFAULT_SETTINGS, readFlags } from "./settings";

describe("changeSettings", () => {
  it("replaces what is named and keeps the rest", () => {
    const changed = changeSettings(DEFAULT_SETTINGS, { speed: 50 });
    expect(changed).toEqual({ ok: true, value: { ...DEFAULT_SETTINGS, speed: 50 } });
  });

  it.each([
    [{ speed: 0 }, /speed/],
    [{ speed: "2" }, /speed/],
    [{ speed: Number.NaN }, /speed/],
    [{ knee: 1.5 }, /whole/],
    [{ volume: 11 }, /unknown setting volume/],
    [{ constructor: 1 }, /unknown setting/],
    [[], /object/],
  ])("refuses %j", (changes, problem) => {
    const changed = changeSettings(DEFAULT_SETTINGS, changes);
    expect(changed.ok ? "" : changed.problem).toMatch(problem);
  });
});

describe("readFlags", () => {
  it("starts on loopback with defaults when nothing is said", () => {
    const flags = readFlags([]);
    expect(flags.ok && flags.value.host).toBe("127.0.0.1");
    expect(flags.ok && flags.value.settings).toEqual(DEFAULT_SETTINGS);
  });

  it("reads every setting from a flag of its name", () => {
    const flags = readFlags(["--port", "0", "--models", "a, b", "--decode-tokens-per-sec", "12.5", "--seed=9"]);
    expect(flags.ok && flags.value).toMatchObject({
      port: 0,
      models: ["a", "b"],
      settings: { decodeTokensPerSec: 12.5, seed: 9 },
    });
  });

  it.each([[["--port", "x"]], [["--prot", "1"]], [["--speed", "0"]]])("refuses %j", (argv) => {
    expect(readFlags(argv).ok).toBe(false);
  });
});
