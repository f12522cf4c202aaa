import { describe, expect, it } from "vitest";
import { type Line, type Member, makeLine, NO_STAMP, shareInForce, splitChanged } from "./line";
import { updateSplit } from "./line-split";
import { splitSlots } from "./shares";

function member(id: string, weight: number, hi: number): Member {
  return { id, weight, hi, lo: 0, lastGranted: 0, cell: -1, weightSlot: -1, taken: 0, share: 0, shareStamp: NO_STAMP };
}

function lineOf(members: readonly Member[]): Line<Member> {
  const line = makeLine<Member>(0);
  for (const each of members) line.active.push(each);
  return line;
}

/** What the split gives each member, a share of nothing counting as one. */
function shares(line: Line<Member>, members: readonly Member[], slots: number): number[] {
  updateSplit(line, slots);
  return members.map((each) => shareInForce(line, each));
}

function reference(members: readonly Member[], slots: number): number[] {
  const claimants = members.map(({ id, weight, hi }) => ({ id, weight, score: hi }));
  return splitSlots(slots, claimants).map((part) => Math.max(1, part));
}

function generator(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

describe("the split of a line", { timeout: 60_000 }, () => {
  it.each([
    ["few weights, many ties", 4],
    ["weights to 50", 50],
    ["weights to a million", 1_000_000],
  ])("is that of splitSlots while members, weights, slots and scores change: %s", (_name, heaviest) => {
    const random = generator(heaviest + 11);
    for (let round = 0; round < 300; round++) {
      const members = Array.from({ length: 1 + random(14) }, (_, i) =>
        member(`m${i}`, 1 + random(heaviest), random(3)),
      );
      const line = lineOf(members);
      let slots = 1 + random(24);
      for (let change = 0; change < 20; change++) {
        expect(shares(line, members, slots)).toEqual(reference(members, slots));
        const picked = members[random(members.length)] as Member;
        const kind = random(4);
        if (kind === 0) slots = 1 + random(24);
        if (kind === 1) {
          line.active.reweigh(picked, 1 + random(heaviest));
          splitChanged(line);
        }
        if (kind >= 2) {
          picked.hi += 1 + random(2);
          line.epoch += 1;
        }
      }
    }
  });

  it("is that of splitSlots for one heavy among very many light ones", () => {
    const random = generator(5);
    for (let round = 0; round < 60; round++) {
      const light = Array.from({ length: 50 + random(400) }, (_, i) => member(`l${i}`, 1 + random(3), random(4)));
      const heavy = Array.from({ length: 1 + random(3) }, (_, i) => member(`h${i}`, 40 + random(900), random(4)));
      const members = [...light, ...heavy];
      const slots = 1 + random(40);
      expect(shares(lineOf(members), members, slots)).toEqual(reference(members, slots));
    }
  });

  it("follows a tie as scores move: three equal members of 8 slots have the 2 in turn", () => {
    const members = ["a", "b", "c"].map((id) => member(id, 100, 0));
    const line = lineOf(members);
    expect(shares(line, members, 8)).toEqual([3, 3, 2]);
    (members[0] as Member).hi = 5;
    line.epoch += 1;
    expect(shares(line, members, 8)).toEqual([2, 3, 3]);
    (members[1] as Member).hi = 9;
    line.epoch += 1;
    expect(shares(line, members, 8)).toEqual([3, 2, 3]);
  });

  it("lists only members that may take a second slot", () => {
    const members = Array.from({ length: 1000 }, (_, i) => member(`m${i}`, 100, 0));
    members.push(member("heavy", 20_000, 0));
    const line = lineOf(members);
    updateSplit(line, 32);
    expect(line.multi.map((each) => each.id)).toEqual(["heavy"]);
  });

  it("gives nobody more than one of no slots", () => {
    const members = [member("a", 5, 0), member("b", 900, 0)];
    expect(shares(lineOf(members), members, 0)).toEqual([1, 1]);
  });
});
