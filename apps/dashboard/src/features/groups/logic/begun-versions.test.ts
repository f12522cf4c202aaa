import { describe, expect, it } from "vitest";
import { begunVersions, changedSince } from "./begun-versions";

const groups = [
  { name: "chat", version: 3 },
  { name: "batch", version: 1 },
];
const begin = (drafted: string[], before = new Map<string, number>(), now = groups) =>
  begunVersions(before, { groups: now, drafted: new Set(drafted) });

describe("the version a group's draft is begun on", () => {
  it("stays when the group is read anew, and tells which group somebody changed since", () => {
    const begun = new Map(begin(["chat", "batch"]));
    const now = [
      { name: "chat", version: 4 },
      { name: "batch", version: 1 },
    ];
    expect(begin(["chat", "batch"], begun, now)).toBe(begun);
    expect(changedSince(begun, now)).toEqual(["chat"]);
  });

  it("goes with its draft, and a new draft begins on the version of now", () => {
    const begun = new Map(begin(["chat"]));
    expect([...begin(["batch"], begun)]).toEqual([["batch", 1]]);
    expect([...begin(["chat"], new Map(), [{ name: "chat", version: 9 }])]).toEqual([["chat", 9]]);
  });

  it("is none for a group that is gone", () => {
    expect(begin(["nobody"]).size).toBe(0);
    expect(changedSince(new Map([["nobody", 1]]), groups)).toEqual([]);
  });
});
