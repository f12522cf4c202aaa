import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Listed, Roster } from "./roster";

interface Member extends Listed {
  readonly name: number;
}

const member = (name: number): Member => ({ name, rosterPlace: -1 });

describe("a roster", () => {
  it("holds what a set would hold, whatever comes and goes", () => {
    const steps = fc.array(fc.tuple(fc.boolean(), fc.nat({ max: 9 })), { maxLength: 60 });
    fc.assert(
      fc.property(steps, (list) => {
        const roster = new Roster<Member>();
        const model = new Set<Member>();
        const members = Array.from({ length: 10 }, (_, name) => member(name));
        for (const [isAdded, name] of list) {
          const one = members[name] as Member;
          if (!isAdded) {
            roster.delete(one);
            model.delete(one);
          } else if (!model.has(one)) {
            roster.add(one);
            model.add(one);
          }
          expect(roster.size).toBe(model.size);
          expect(new Set(roster)).toEqual(model);
        }
      }),
    );
  });

  it("visits everyone who stays, although others come and go meanwhile", () => {
    const roster = new Roster<Member>();
    const members = Array.from({ length: 6 }, (_, name) => member(name));
    for (const one of members) roster.add(one);
    const leaving = new Set([1, 4, 5]);
    const late = member(99);
    const visited = new Set<number>();
    for (const one of roster) {
      visited.add(one.name);
      if (one.name === 5) roster.add(late);
      for (const other of members) if (leaving.has(other.name)) roster.delete(other);
    }
    for (const name of [0, 2, 3]) expect(visited).toContain(name);
    expect(roster.size).toBe(4);
  });
});
