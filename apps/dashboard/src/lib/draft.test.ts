import { describe, expect, it } from "vitest";
import { type Kept, keepTouched, versionToName, withoutSaved } from "./draft";

interface Draft {
  readonly weight: string;
  readonly cap: string;
}
const begun = { initial: { weight: "500", cap: "" }, etag: '"1"' };
const next = { initial: { weight: "710", cap: "" }, etag: '"2"' };
const shown = (kept: Kept<Draft> | null, initial: Draft) => ({ ...initial, ...kept?.touched });

describe("a draft", () => {
  it("keeps what was touched and follows the object in everything else", () => {
    const kept = keepTouched<Draft>(null, { weight: "500", cap: "4" }, begun);
    expect(kept).toEqual({ touched: { cap: "4" }, etag: '"1"' });
    expect(shown(kept, next.initial)).toEqual({ weight: "710", cap: "4" });
  });

  it("remembers the version it was begun on, whatever is read meanwhile", () => {
    const kept = keepTouched<Draft>(null, { weight: "640", cap: "" }, begun);
    const later = keepTouched<Draft>(kept, { weight: "641", cap: "" }, next);
    expect(later).toEqual({ touched: { weight: "641" }, etag: '"1"' });
  });

  it("is none once it says what the object says, and the next one begins on the newer version", () => {
    const kept = keepTouched<Draft>(null, { weight: "640", cap: "" }, begun);
    expect(keepTouched<Draft>(kept, begun.initial, begun)).toBe(null);
    expect(keepTouched<Draft>(null, { weight: "640", cap: "" }, next)?.etag).toBe('"2"');
  });

  it("is saved as a change of the version it was begun on, so that somebody else's in between is found out", () => {
    expect(versionToName({ etag: '"1"' }, { now: '"2"', lastSaved: null })).toBe('"1"');
  });

  it("is over once it is saved, but for what was typed while the save was on its way", () => {
    const kept = keepTouched<Draft>(null, { weight: "640", cap: "4" }, begun);
    expect(withoutSaved(kept, { weight: "640", cap: "4" })).toBe(null);
    expect(withoutSaved(kept, { weight: "64", cap: "4" })).toEqual({ touched: { weight: "640" }, etag: '"1"' });
    expect(withoutSaved(null, { weight: "640" })).toBe(null);
  });

  it("typed while its own last save was on its way is a change of what that save made", () => {
    expect(versionToName({ etag: '"1"' }, { now: '"2"', lastSaved: '"1"' })).toBe('"2"');
    expect(versionToName(null, { now: '"2"', lastSaved: null })).toBe('"2"');
  });
});
