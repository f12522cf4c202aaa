/** The judge of the fleet's tests must see what it is there for. Two slots, two gateways, a part of one each. */
import { expect, test } from "@playwright/test";
import { judge } from "../support/limit-judge";
import type { ModeChange, Trial } from "../support/limit-trial";
import type { Visit } from "../support/visit-log";

const changes = (...changes: [number, string][]): ModeChange[] => changes.map(([atMs, mode]) => ({ atMs, mode }));
const shared = changes([0, "shared"]);
const apart = changes([0, "shared"], [1000, "fallback"]);
const visit = (marker: string, fromMs: number, toMs = 90_000): Visit => ({ marker, fromMs, toMs });

function faultsOf(visits: readonly Visit[], over: Partial<Trial> & { a?: ModeChange[]; b?: ModeChange[] } = {}) {
  const gateways = new Map(Object.entries({ a: over.a ?? shared, b: over.b ?? shared }));
  return judge({ visits, gateways, slots: 2, part: 1, heartbeatMs: 1000, ttlMs: 3000, ...over }).faults;
}

test("one more than the slots is a fault while all share, and a slot that was handed on is not", () => {
  expect(faultsOf([visit("a", 500), visit("b", 600), visit("a", 700)])).toHaveLength(1);
  expect(faultsOf([visit("a", 500), visit("b", 600, 700), visit("a", 700)])).toEqual([]);
});

test("a gateway on its own may not start more than its part, but may end what it had", () => {
  const both = { a: apart, b: apart };
  expect(faultsOf([visit("a", 2000), visit("b", 2000)], both)).toEqual([]);
  expect(faultsOf([visit("a", 2000), visit("a", 2100)], both)).toHaveLength(1);
  expect(faultsOf([visit("a", 500), visit("a", 600), visit("b", 2000)], both)).toEqual([]);
  expect(faultsOf([visit("a", 500), visit("a", 600), visit("a", 2000)], both)).toHaveLength(1);
});

test("a gateway that is the only one may use every slot and no more", () => {
  const alone = { a: changes([0, "local"]), b: changes([0, "shared"]) };
  expect(faultsOf([visit("a", 500), visit("a", 600)], alone)).toEqual([]);
  expect(faultsOf([visit("a", 500), visit("a", 600), visit("a", 700)], alone)).toHaveLength(1);
});

test("those that share leave free what one that left still has on the books", () => {
  expect(faultsOf([visit("a", 500), visit("b", 2000)], { a: apart })).toEqual([]);
  expect(faultsOf([visit("a", 500), visit("b", 2000), visit("b", 2100)], { a: apart })).toHaveLength(1);
});

test("what one that left admitted beyond its books comes on top, up to its part and not beyond", () => {
  const mixed = [visit("b", 500), visit("b", 600), visit("a", 2000)];
  expect(faultsOf(mixed, { a: apart })).toEqual([]);
  expect(faultsOf([...mixed, visit("a", 2100)], { a: apart })).toHaveLength(1);
  expect(faultsOf([...mixed, visit("b", 2100)], { a: apart })).toHaveLength(1);
});

test("a silent gateway's slots are free for the others once its time is over, and not before", () => {
  expect(faultsOf([visit("a", 500), visit("b", 2700), visit("b", 2740)], { a: apart })).toHaveLength(1);
  expect(faultsOf([visit("a", 500), visit("b", 3000), visit("b", 3100)], { a: apart })).toEqual([]);
});

test("on the way from one mode to the next a start must be right under one of them", () => {
  const ran = [visit("a", 500), visit("b", 600)];
  expect(faultsOf([visit("a", 500), visit("a", 1100)], { a: apart, b: apart })).toEqual([]);
  expect(faultsOf([...ran, visit("a", 1100)], { a: apart, b: apart })).toHaveLength(1);
  expect(faultsOf([...ran, visit("b", 1100)], { a: apart })).toHaveLength(1);
});

test("a machine that was seen to take longer for the way is given that long, and no longer", () => {
  const both = { a: apart, b: apart };
  const late = [visit("a", 500), visit("a", 1500)];
  expect(faultsOf(late, both)).toHaveLength(1);
  expect(faultsOf(late, { ...both, longestWayMs: 600 })).toEqual([]);
  expect(faultsOf(late, { ...both, longestWayMs: 400 })).toHaveLength(1);
});

test("one that came back counts with all it runs once its heartbeat is there, and with what it had before", () => {
  const back = changes([0, "shared"], [1000, "fallback"], [3000, "shared"]);
  const before = [visit("b", 500), visit("a", 1500)];
  expect(faultsOf([...before, visit("b", 3100)], { a: back })).toEqual([]);
  expect(faultsOf([...before, visit("b", 3300)], { a: back })).toHaveLength(1);
  const soon = changes([0, "shared"], [1000, "fallback"], [2000, "shared"]);
  expect(faultsOf([visit("a", 500), visit("b", 600), visit("b", 2100)], { a: soon })).toHaveLength(1);
});

test("one that stood still past its expiry has lost its slots, and its requests count again when it goes on", () => {
  const stalls = [{ marker: "a", fromMs: 2000, toMs: 7000 }];
  const ran = [visit("a", 500)];
  expect(faultsOf([...ran, visit("b", 3000), visit("b", 3100)], { stalls })).toHaveLength(1);
  expect(faultsOf([...ran, visit("b", 5000), visit("b", 5100)], { stalls })).toEqual([]);
  expect(faultsOf([...ran, visit("b", 5000), visit("b", 5100), visit("a", 7100)], { stalls })).toHaveLength(1);
  expect(faultsOf([...ran, visit("b", 5000, 7400), visit("b", 5100), visit("b", 7400)], { stalls })).toHaveLength(1);
});

test("without Redis no more may run than the parts, or what ran when it went, each request counted once", () => {
  const outages = [{ fromMs: 1000, toMs: 8000 }];
  const lies = { a: shared, b: shared, outages, slots: 9 };
  expect(faultsOf([visit("a", 500), visit("a", 600), visit("b", 2000)], lies)).toEqual([]);
  expect(faultsOf([visit("a", 500), visit("a", 600), visit("b", 2000), visit("b", 2100)], lies)).toHaveLength(1);
  const rush = ["a", "a", "a", "b", "b", "b"].map((name, i) => visit(name, 1100 + i));
  expect(faultsOf([...rush, visit("a", 2000)], { a: shared, b: shared, outages, slots: 4 }).join()).toContain(
    "where 5",
  );
  const handedOn = [visit("a", 500, 1100), visit("a", 1100), visit("b", 2000)];
  expect(faultsOf([...handedOn, visit("b", 2100)], lies)).toHaveLength(1);
});
