/**
 * The rules of the books over every history of a small world: C1 to C6, C11, C14 and C15 as far as the books keep them, and
 * what they say of slots that are kept for a replica (T1 to T5).
 * `OBLETH_SEARCH_DEPTH=12` looks twelve steps deep, which takes many minutes; without it a few, in seconds.
 */
import { describe, expect, it } from "vitest";
import type { BatchAnswer } from "../../src/slots/slot-store";
import { type SearchOptions, searchSmallWorld } from "./search";
import { LIMITS, type PlantedFault } from "./world";

const ASKED = process.env.OBLETH_SEARCH_DEPTH;
const REQUESTS = 3;
const SLOTS = [1, 2];

/** Faults that need one, two or three replicas to show, and the rule that each breaks. */
const PLANTED: readonly { name: string; rule: RegExp; planted: PlantedFault }[] = [
  { name: "a claim beyond the pool is granted", rule: /^C1:/, planted: { extraSlots: () => 1 } },
  {
    name: "a claim beyond the pool is granted while two others wait",
    rule: /^C1:/,
    planted: {
      extraSlots: (table, nowMs) => (table.picture(nowMs).marks.some(({ waits }) => waits.length > 1) ? 1 : 0),
    },
  },
  {
    name: "a denied claim is counted",
    rule: /^C3:/,
    planted: {
      afterRun: (table, operation, answer) => {
        if (operation.kind === "claim" && isAnswered(answer, "pool")) table.corrupt("g", 1);
      },
    },
  },
  {
    name: "a second release frees somebody else's slot",
    rule: /^C3:/,
    planted: {
      afterRun: (table, operation, answer) => {
        if (operation.kind === "release" && isAnswered(answer, "not-held")) table.corrupt("g", -1);
      },
    },
  },
  {
    name: "a held slot is not counted",
    rule: /^C3:/,
    planted: {
      afterRun: (table, operation, answer) => {
        if (operation.kind === "hold" && isAnswered(answer, "held")) table.corrupt("H", -1);
      },
    },
  },
  {
    name: "what an expired replica held stays counted",
    rule: /^C3:/,
    planted: { afterBeat: (table, reclaimedSlots) => table.corrupt("g", reclaimedSlots) },
  },
];

function isAnswered(answer: BatchAnswer, wanted: string): boolean {
  return answer.kind === "done" && answer.answers.some((one) => "answer" in one && one.answer === wanted);
}

function search(options: Omit<SearchOptions, "requests">) {
  return searchSmallWorld({ ...options, requests: REQUESTS });
}

describe("the books over every history of a small world", () => {
  it.each([
    { replicas: 2, slots: 1, forgets: true, depth: 6 },
    { replicas: 2, slots: 2, forgets: true, depth: 6 },
    { replicas: 3, slots: 1, forgets: false, depth: 7 },
    { replicas: 3, slots: 2, forgets: false, depth: 7 },
  ])(
    "keep their rules with $replicas replicas, $slots slots and three requests",
    { timeout: 7_200_000 },
    ({ replicas, slots, forgets, depth }) => {
      const found = search({ replicas, slots, forgets, depth: Number(ASKED ?? depth), isReduced: !forgets });
      console.log(`${replicas} replicas, ${slots} slots: ${found.states} states, ${found.steps} steps`);
      expect(found.fault).toBeNull();
      expect(found.states).toBeGreaterThan(1000);
      expect(found.grants).toBeGreaterThan(1000);
    },
  );
});

describe("every limit in every history of a small world", () => {
  it.each(LIMITS.flatMap((limit) => SLOTS.map((slots) => ({ limit, slots }))))(
    "holds where $limit is $slots and the others leave room",
    ({ limit, slots }) => {
      const found = search({ replicas: 3, slots, limit, depth: 5, isReduced: true });
      expect(found.fault).toBeNull();
      expect(found.grants).toBeGreaterThan(300);
      const planted = { extraSlots: () => 1 };
      expect(search({ replicas: 3, slots, limit, depth: 4, isReduced: true, planted }).fault).toMatch(/^C1:/);
    },
  );
});

describe("a search that counts states once which differ only in the names of replicas", () => {
  it.each(
    SLOTS.flatMap((slots) => [
      { replicas: 2, slots, depth: 5 },
      { replicas: 3, slots, depth: 5 },
    ]),
  )("reaches the same ones as a search of every state, $replicas replicas and $slots slots", (world) => {
    const reduced = search({ ...world, isReduced: true });
    const whole = search({ ...world, isReduced: false });
    expect(reduced.canonicalStates).toBe(whole.canonicalStates);
    expect(reduced.states).toBeLessThan(whole.states);
  });

  it.each(PLANTED)("finds the same fault: $name", ({ rule, planted }) => {
    for (const slots of SLOTS) {
      for (const isReduced of [true, false]) {
        const { fault } = search({ replicas: 3, slots, depth: 5, isReduced, planted });
        expect(fault, `${slots} slots, reduced: ${isReduced}`).toMatch(rule);
      }
    }
  });
});
