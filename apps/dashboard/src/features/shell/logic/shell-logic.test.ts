import { describe, expect, it } from "vitest";
import { paletteMatches } from "./palette-matches";
import { parseRecent, withRecent } from "./recent";
import { titlePrefix } from "./tab-title";

describe("the tab's title", () => {
  const pool = { capacity_state: "ok" as const, in_flight: 8, held: 0, cap: 8 };
  it("begins with what is full, or with being stale", () => {
    expect(titlePrefix([pool, { ...pool, in_flight: 6, held: 2 }, { ...pool, in_flight: 1 }], false)).toBe("(2 full) ");
    expect(titlePrefix([pool], true)).toBe("(stale) ");
    expect(titlePrefix([{ ...pool, capacity_state: "no_servers" }], false)).toBe("");
    expect(titlePrefix([{ ...pool, in_flight: 0, cap: 0 }], false)).toBe("");
  });
});

describe("recent entries", () => {
  it("are few, newest first, each once", () => {
    const entries = ["/a", "/b", "/c", "/d", "/e", "/f", "/b"].reduce(
      (list, href) => withRecent(list, { label: href, href }),
      parseRecent(null),
    );
    expect(entries.map((entry) => entry.href)).toEqual(["/b", "/f", "/e", "/d", "/c"]);
  });
  it("never lead off the site", () => {
    const stored = JSON.stringify([
      { label: "x", href: "https://evil.example" },
      { label: "y", href: "//evil" },
      { label: "z", href: "/\\evil" },
      { label: "ok", href: "/keys" },
    ]);
    expect(parseRecent(stored)).toEqual([{ label: "ok", href: "/keys" }]);
    expect(parseRecent("{")).toEqual([]);
  });
});

describe("what the palette draws of many objects", () => {
  const entries = Array.from({ length: 2000 }, (_, index) => ({ label: `team-${index}` }));
  const labels = (text: string, most = 40) =>
    paletteMatches(entries, { text, prefix: "tenant", most }).map((entry) => entry.label);

  it("has the one that is named, wherever it stands in the list", () => {
    expect(labels("team-1999")).toEqual(["team-1999"]);
    expect(labels("  TEAM-1999 ")).toEqual(["team-1999"]);
  });

  it("has those with the letters in their order, after those with the text in one piece", () => {
    expect(labels("tm-1998")).toEqual(["team-1998"]);
    expect(labels("m-77")[0]).toBe("team-77");
    expect(labels("zebra")).toEqual([]);
  });

  it("is never more than a list can show", () => {
    expect(labels("")).toHaveLength(40);
    expect(labels("tenant")).toHaveLength(40);
  });
});
