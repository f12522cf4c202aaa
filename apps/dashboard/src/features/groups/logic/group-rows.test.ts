import { describe, expect, it } from "vitest";
import { groupsParams, parseAsWeights } from "../search-params";
import { changedWeights, draftedWeight, groupRows } from "./group-rows";

const group = (name: string, weight: number) => ({ name, weight, color: 0, tenant_count: 1 });
const busy = (name: string) => ({ name, in_flight: 3, held: 1, queued: 2, borrowed: 0 });
const three = [group("chat", 500), group("api", 200), group("batch", 50)];
const live = three.map((one) => busy(one.name));

const slots = (drafts: [string, string][], over = {}) =>
  groupRows({ groups: three, live, drafts: new Map(drafts), size: 20, isEveryone: false, ...over }).map((row) => [
    row.before,
    row.after,
  ]);

describe("groups on a trial pool", () => {
  it("divide 20 slots by 500, 200 and 50 into 14, 5 and 1, as the engine does", () => {
    expect(slots([])).toEqual([
      [14, 14],
      [5, 5],
      [1, 1],
    ]);
  });
  it("show who pays: the third to 150 takes both slots from the first", () => {
    expect(slots([["batch", "150"]])).toEqual([
      [14, 12],
      [5, 5],
      [1, 3],
    ]);
  });
  it("leave idle groups out, and take them in as if all were busy", () => {
    const idle = [busy("chat"), busy("api")];
    expect(slots([], { live: idle })[2]).toEqual([null, null]);
    const [, , third] = groupRows({ groups: three, live: idle, drafts: new Map(), size: 20, isEveryone: false });
    expect(third?.wouldGet).toBe(1);
    expect(slots([], { live: idle, isEveryone: true })[2]).toEqual([1, 1]);
  });
  it("count held slots as in use, and keep an invalid draft with its reason", () => {
    const rows = groupRows({ groups: three, live, drafts: new Map([["chat", "0"]]), size: 20, isEveryone: false });
    expect(rows[0]).toMatchObject({ inUse: 4, isChanged: true, draft: "0" });
    expect(rows[0]?.error).toContain("whole number");
    expect(changedWeights(rows)).toEqual({});
  });
  it("save only what differs", () => {
    const rows = groupRows({
      groups: three,
      live,
      drafts: new Map([
        ["chat", "500"],
        ["api", "300"],
      ]),
      size: 20,
      isEveryone: false,
    });
    expect(changedWeights(rows)).toEqual({ api: 300 });
  });
});

describe("drafts in the address", () => {
  it("come back as they went, whatever the names", () => {
    const drafts = new Map([
      ["chat", "500"],
      ["a:b,c", "7"],
      ["__proto__", "9"],
    ]);
    expect(parseAsWeights.parse(parseAsWeights.serialize(drafts))).toEqual(drafts);
  });
  it("drop what is none", () => {
    expect(parseAsWeights.parse("chat,:5,%E0%A4%A:3,api:9")).toEqual(new Map([["api", "9"]]));
  });
});

describe("the rounding's weights", () => {
  it("are the drafted ones, else those in force, whatever a group is called", () => {
    const groups = ["constructor", "__proto__", "toString"].map((name) => group(name, 7));
    const rows = groupRows({ groups, live: [], drafts: new Map([["toString", "9"]]), size: 20, isEveryone: true });
    expect(new Map(rows.map((row) => [row.name, draftedWeight(row)]))).toEqual(
      new Map([
        ["constructor", 7],
        ["__proto__", 7],
        ["toString", 9],
      ]),
    );
    expect(draftedWeight({ draft: "many", weight: 5 })).toBe(5);
  });
});

describe("the trial pool's size in an address", () => {
  it("is the default's where it is no size", () => {
    for (const text of ["0", "-3", "1.5", "99999999999999999999", "NaN", "__proto__", ""])
      expect(groupsParams.size.parse(text), text).toBeNull();
    expect(groupsParams.size.parse("32")).toBe(32);
  });
});
