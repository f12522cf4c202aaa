/** Three gateways on a Redis Cluster, all of it processes: the same limits, and a node that dies under load. */
import { expect, test } from "@playwright/test";
import { fleetTrialForTests, MODEL } from "../support/fleet-trial";

const SLOTS = 20;
const POOL = `p|${MODEL}`;

const trial = fleetTrialForTests({ gateways: 3, redis: "cluster" }, SLOTS);

test("three gateways on a Redis Cluster run as many requests as the pool has slots, on one node's books", async () => {
  await trial().full();
  await trial().goesOn(100);
  await trial().expectRulesKept();
  const { totals, parts } = await trial().books();
  expect(totals[POOL]).toBeGreaterThan(0);
  expect(totals[POOL]).toBe(parts[POOL]);
  await trial().expectNothingLeft();
});

test("a node of the Cluster that dies with the books leaves each gateway its part until its replica has taken over", () =>
  trial().survivesFailover());
