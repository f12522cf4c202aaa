/** The judge of the fleet's tests must see what it is there for. */
import { expect, test } from "@playwright/test";
import { judge, type ModeChange } from "../support/limit-judge";
import type { Visit } from "../support/visit-log";

const shared: ModeChange[] = [{ atMs: 0, mode: "shared" }];
const apart: ModeChange[] = [...shared, { atMs: 1000, mode: "fallback" }];
const visit = (marker: string, fromMs: number, toMs = 9000): Visit => ({ marker, fromMs, toMs });
const faultsOf = (visits: readonly Visit[], modes = { a: shared, b: shared }) =>
  judge({ visits, gateways: new Map(Object.entries(modes)), slots: 2, part: 1 }).faults.length;

test("one more than the slots is a fault while all share, and a slot that was handed on is not", () => {
  expect(faultsOf([visit("a", 500), visit("b", 600), visit("a", 700)])).toBe(1);
  expect(faultsOf([visit("a", 500), visit("b", 600, 700), visit("a", 700)])).toBe(0);
});

test("a gateway on its own may not start more than its part, but may end what it had", () => {
  const modes = { a: apart, b: apart };
  expect(faultsOf([visit("a", 2000), visit("b", 2000)], modes)).toBe(0);
  expect(faultsOf([visit("a", 2000), visit("a", 2100)], modes)).toBe(1);
  expect(faultsOf([visit("a", 500), visit("a", 600), visit("b", 2000)], modes)).toBe(0);
});

test("without Redis no more may run than the parts, or what ran when it went", () => {
  const gateways = new Map(Object.entries({ a: apart, b: apart }));
  const outages = [{ fromMs: 1000, toMs: 8000 }];
  const before = [visit("a", 500), visit("a", 600)];
  const verdict = (visits: readonly Visit[]) => judge({ visits, gateways, slots: 2, part: 1, outages });
  expect(verdict([...before, visit("b", 2000)]).faults).toEqual([]);
  expect(verdict([...before, visit("b", 2000), visit("b", 2100)]).faults).toHaveLength(2);
});
