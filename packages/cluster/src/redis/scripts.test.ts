import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { SCRIPTS, scriptNames, scriptText } from "./scripts";

const REQUIRED = ["Atomic:", "Replies:", "Events:", "Cost:", "TTL:", "Time:", "Caller:"];

describe.each(scriptNames())("the header of %s.lua", (name) => {
  const own = readFileSync(new URL(`../../lua/${name}.lua`, import.meta.url), "utf8");
  const lines = own.split("\n");
  const headerEnd = lines.findIndex((line) => !line.startsWith("--"));
  const header = lines.slice(0, headerEnd).join("\n");
  const body = lines.slice(headerEnd).join("\n");

  it.each(["KEYS", "ARGV"])("documents exactly the %s that the script uses", (table) => {
    const documented = indexes(header, new RegExp(`^-- ${table}\\[([^\\]]+)\\]`, "gm"));
    const used = indexes(body, new RegExp(`${table}\\[([^\\]]+)\\]`, "g"));
    expect(documented.size).toBeGreaterThan(0);
    expect([...used].sort()).toEqual([...documented].sort());
  });

  it.each(REQUIRED)("has a line %s", (title) => {
    expect(header).toContain(`-- ${title}`);
  });

  it("names a caller that exists", () => {
    const caller = /-- Caller: +(\S+)/.exec(header)?.[1] ?? "";
    expect(() => readFileSync(new URL(`../../${caller}`, import.meta.url))).not.toThrow();
  });

  it("says what it is for in its first line", () => {
    expect(lines[0]).toMatch(/^-- [A-Z].{30,}/);
  });
});

describe("the script texts", () => {
  it("put the shared parts before each script", () => {
    for (const name of scriptNames()) {
      expect(SCRIPTS[name][0]).toBe("_prelude");
      expect(scriptText(name)).toContain("local function now_ms()");
    }
  });

  it("never take a key's name from anything but KEYS, so that every key is declared", () => {
    for (const name of scriptNames()) expect(scriptText(name)).not.toMatch(/redis\.call\('[A-Z]+', '/);
  });
});

/** The distinct index expressions, without spaces and stars: `2 * i - 1` is `2i-1`. */
function indexes(text: string, pattern: RegExp): Set<string> {
  return new Set([...text.matchAll(pattern)].map((match) => (match[1] ?? "").replace(/[\s*]/g, "")));
}
