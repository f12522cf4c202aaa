/**
 * The judge on gateways that really let too much through: faults are planted in the books and in the settings of real
 * processes, and the backend's record with the gateways' own word on their modes must give them away.
 */
import { expect, test } from "@playwright/test";
import type { Gateway } from "../support/fleet";
import { fleetTrialForTests, MODEL } from "../support/fleet-trial";

const SLOTS = 8;

const env = {
  // On their own, gateways with this setting use the whole pool each: the planted fault of a split that is not one.
  OBLETH_FAIRSHARE_REPLICA_AWARE: "false",
  // Only the faults that are planted may put a gateway on its own, not an answer that comes late on a busy machine.
  OBLETH_REDIS_RESPONSE_TIMEOUT_MS: "5000",
};
const trial = fleetTrialForTests({ gateways: 2, env }, SLOTS);

/** Takes slots off the books that are in use until the judge complains, since each heartbeat puts them back. */
async function complaintOnceBooksAreWrong(words: string): Promise<void> {
  const complaint = async () => {
    await trial().fleet.redis.command("HINCRBY", "obleth:fairshare:slots", `p|${MODEL}`, "-3");
    return (await trial().verdict()).faults.join("\n");
  };
  await expect.poll(complaint, { timeout: 20_000, intervals: [50] }).toContain(words);
}

test("a rule that is broken nowhere is not complained about", async () => {
  await trial().full();
  await trial().goesOn(100);
  await trial().expectRulesKept();
});

test("slots that vanish from the books while all share are found out", async () => {
  await trial().full();
  await complaintOnceBooksAreWrong("although");
  expect((await trial().verdict()).highest).toBeGreaterThan(SLOTS);
});

test("slots that vanish from the books of a mix of sharing and lone gateways are found out", async () => {
  const [lone, sharing] = trial().fleet.gateways as [Gateway, Gateway];
  // What the lone one has stays on the books for the time of a silent gateway, and nothing of it ends meanwhile.
  await trial().occupy(lone, SLOTS / 2);
  trial().startLoad({}, [sharing]);
  await expect.poll(() => trial().running(), { intervals: [20] }).toBeGreaterThanOrEqual(SLOTS);
  lone.wire.cut();
  await expect.poll(() => trial().fleet.modes(), { intervals: [20] }).toEqual(["fallback", "shared"]);
  await complaintOnceBooksAreWrong(`although ${sharing.name} shared`);
  lone.wire.mend();
});

test("gateways that use more than their part without Redis are found out, each and together", async () => {
  const fromMs = Date.now();
  trial().fleet.wire.cut();
  await trial().allFallBack(fromMs);
  trial().startLoad();
  await trial().goesOn(60);
  const { faults } = await trial().verdict({ outages: [{ fromMs, toMs: Date.now() }] });
  trial().fleet.wire.mend();
  expect(faults.join("\n")).toContain("on its own");
  expect(faults.join("\n")).toContain("without Redis");
});
