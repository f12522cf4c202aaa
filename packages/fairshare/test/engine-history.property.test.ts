/**
 * A million random events through the engine, each step judged by an independent model. One run serves all properties
 * here; each test says that its property was never broken and that there was enough to judge.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { replayLine, runSeed, type SeedResult } from "./sim/run-seed";
import { ONCE_FAILED } from "./sim/seeds";

const EVENTS_IN_ALL = 1_000_000;
const EVENTS_A_SEED = 1000;

const breaches = new Map<string, string[]>();
const checks = new Map<string, number>();
let events = 0;

function note(result: SeedResult): void {
  events += result.events;
  for (const [property, times] of result.checks) checks.set(property, (checks.get(property) ?? 0) + times);
  if (result.breach === undefined) return;
  const lines = breaches.get(result.breach.property) ?? [];
  lines.push(replayLine(result));
  breaches.set(result.breach.property, lines);
}

beforeAll(() => {
  for (const { seed } of ONCE_FAILED) note(runSeed(seed, { events: EVENTS_A_SEED }));
  for (let seed = 1; events < EVENTS_IN_ALL; seed++) note(runSeed(seed, { events: EVENTS_A_SEED, readEvery: 32 }));
}, 300_000);

const properties: readonly (readonly [string, string, number])[] = [
  ["E1", "no request that could run waits beside a free slot", 100_000],
  ["E2", "a pool never starts more than its size, and none after a cut until below it", 50_000],
  ["E3", "a tenant never starts above its cap in a pool", 10_000],
  ["E4", "a key never starts above its cap in a pool", 5000],
  ["E5", "all pools together never start above the ceiling", 10_000],
  ["E6", "under the ceiling pools that could run take turns", 1000],
  ["E10", "weighted: the lowest score among those who could run goes next", 5000],
  ["E16", "hierarchical: nobody borrows while another waits under its share", 5000],
  ["E17", "hierarchical: lowest group score first, then lowest tenant score", 5000],
  ["E20", "shares count those with work, from the next decision on", 5000],
  ["E23", "who returns is level with its siblings, whatever it had before", 5000],
  ["E24", "a score rises by charges and lifts only", 50_000],
  ["E25", "the virtual time is the one the charges make", 5000],
  ["E26", "each admission is charged once, at its estimate, at all three levels", 5000],
  ["E27", "refused, cancelled and timed-out requests leave no charge and no slot", 10_000],
  ["E28", "a request leaves at its timeout and not before", 5000],
  ["E29", "a request that left never gets a slot", 50_000],
  ["E30", "a second release of a slot changes nothing", 10_000],
  ["E31", "what is running and waiting is reported at every level", 5000],
  ["E32", "requests of one key start in the order of their arrival", 10_000],
  ["E33", "within a tenant the key served least for its weight goes next", 5000],
  ["E39", "a free slot and nobody before it: started in the same turn", 10_000],
  ["E42", "the reported shares are those that picks are made by", 5000],
  ["LOG", "the decisions equal those of the slow model", 50_000],
];

describe("random histories", () => {
  it.each(properties)("%s %s", (property, _guarantee, least) => {
    expect(breaches.get(property) ?? []).toEqual([]);
    expect(checks.get(property) ?? 0).toBeGreaterThanOrEqual(least);
  });

  it("runs at least a million events and finds nothing that no property above covers", () => {
    expect(events).toBeGreaterThanOrEqual(EVENTS_IN_ALL);
    expect([...breaches.keys()]).toEqual([]);
  });
});
