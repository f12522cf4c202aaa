/** The causes of a wait that lie with the other gateways or with Redis, made on two real gateways and read on the page. */
import { expect, type Page, test } from "@playwright/test";
import { importCrowd } from "../support/crowd";
import { expectWhy } from "../support/explained";
import { Fleet, type Gateway } from "../support/fleet";
import type { Load } from "../support/load";
import { standingRequests } from "../support/standing-requests";

const SLOTS = 8;
/** Tenants of one pool in the picture that a gateway publishes. */
const MOST_LISTED = 512;
const ZONE = "Asia/Kathmandu";
/** Long after a freed slot is no longer kept for who has waited longest, and after others have claimed it. */
const LATE_MS = 1500;

let fleet: Fleet;
let loads: Load[] = [];

test.describe.configure({ mode: "serial" });
test.use({ timezoneId: ZONE });
test.beforeAll(async () => {
  fleet = await Fleet.start({
    gateways: 2,
    hasDashboard: true,
    env: {
      // A lost gateway is missed for half a minute: long enough to read about it.
      OBLETH_FAIRSHARE_REPLICA_TTL_SECS: "30",
      // A late answer of Redis is no outage.
      OBLETH_REDIS_RESPONSE_TIMEOUT_MS: "5000",
      // Who waits goes on waiting while it is read about, on a slow machine too.
      OBLETH_ADMISSION_TIMEOUT_SECS: "600",
    },
  });
});
test.afterEach(async () => {
  await Promise.all(loads.map((load) => load.stop()));
  loads = [];
});
test.afterAll(() => fleet.stop());

function gatewayAt(place: number): Gateway {
  const gateway = fleet.gateways[place];
  if (gateway === undefined) throw new Error(`no gateway ${place}`);
  return gateway;
}

const untilShared = () => expect.poll(() => fleet.modes(), { timeout: 20_000 }).toEqual(["shared", "shared"]);
const runningOf = async (model: string) => (await fleet.simulator.state()).models[model]?.running ?? 0;

async function waitingAt({ management }: Gateway, model: string): Promise<number> {
  const { data } = await management.call("getFairshareLive", { query: { pool: model } });
  return data.pools[0]?.replica_queued ?? 0;
}

/** Slots that were free and went to another gateway, in a row, as the page's gateway counts them. */
async function racesLost(model: string): Promise<number> {
  const { data } = await gatewayAt(0).management.call("explainFairshare", { query: { pool: model } });
  return Number(data.explanations[0]?.numbers.lost_claims ?? 0);
}

/** Frees a slot of the pool while the claims of the page's gateway come late; returns when somebody who waited has it. */
async function loseRace(model: string, running: Load | undefined): Promise<void> {
  if (running === undefined) throw new Error("no slot is left to free");
  const { wire } = gatewayAt(0);
  const waiting = async () => {
    const counts = await Promise.all(fleet.gateways.map((gateway) => waitingAt(gateway, model)));
    return counts.reduce((sum, count) => sum + count, 0);
  };
  const before = await waiting();
  wire.delayMs = () => LATE_MS;
  await running.stop();
  await expect.poll(waiting, { timeout: 20_000 }).toBe(before - 1);
  wire.delayMs = () => 0;
  await expect.poll(() => wire.onItsWay, { timeout: 20_000 }).toBe(0);
}

async function openPool(page: Page, model: string): Promise<void> {
  await page.goto(`${fleet.dashboardUrl}/login?next=${encodeURIComponent(`/fairshare?pool=${model}`)}`);
  await page.getByLabel("Email").fill(fleet.login.email);
  await page.getByLabel("Password").fill(fleet.login.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("heading", { level: 1, name: model })).toBeVisible();
}

test("with Redis stopped, a wait is put down to this gateway's part of the pool, with the time in the reader's zone", async ({
  page,
}) => {
  const model = "why-split";
  const secret = await fleet.prepare({ model, slots: SLOTS, tenant: "splitter" });
  const { management, proxyUrl } = gatewayAt(0);
  await fleet.redis.kill();
  await expect.poll(() => fleet.modes(), { timeout: 20_000 }).toEqual(["fallback", "fallback"]);
  loads = [standingRequests({ url: proxyUrl, model, secret, requests: SLOTS })];
  await expect.poll(() => runningOf(model)).toBe(SLOTS / 2);
  const { data } = await management.call("getFairshareLive", { query: { fields: "summary" } });
  const since = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium", timeZone: ZONE }).format(data.mode_since_ts_ms);
  await openPool(page, model);
  await expectWhy(
    page,
    "splitter",
    "fallback_split",
    `Shared slots are unavailable since ${since}, so this gateway may use 4 of why-split's 8 slots, all in use. Another gateway may have room.`,
  );
  await expect(page.getByText("4 of 8 slots are in force here.")).toBeVisible();
  await expect(page.locator("[data-scope=replica]")).toContainText("On this gateway, 1 of 2");
  await expect(page.getByTestId("answer")).toContainText("On this gateway, 4 of 4 in use");
  await fleet.redis.restart();
  await untilShared();
});

test("slots that another gateway claimed first, three times in a row, are put down to the race for them", async ({
  page,
}) => {
  await untilShared();
  const model = "why-race";
  const secret = await fleet.prepare({ model, slots: SLOTS, tenant: "latecomer" });
  const [here, there] = [gatewayAt(0), gatewayAt(1)];
  const send = ({ proxyUrl }: Gateway, requests: number) => {
    const load = standingRequests({ url: proxyUrl, model, secret, requests });
    loads.push(load);
    return load;
  };
  const few = (requests: number) => Array.from({ length: requests }, () => send(there, 1));
  const candidates = few(SLOTS);
  await expect.poll(() => runningOf(model)).toBe(SLOTS);
  candidates.push(...few(2 * SLOTS));
  send(here, SLOTS);
  await expect.poll(() => waitingAt(there, model)).toBe(2 * SLOTS);
  await expect.poll(() => waitingAt(here, model)).toBe(SLOTS);
  // A slot whose announcement meets a claim that is under way counts for nothing; then another one is freed.
  while ((await racesLost(model)) < 3) await loseRace(model, candidates.shift());
  await openPool(page, model);
  await expectWhy(
    page,
    "latecomer",
    "other_replica",
    `The gateways share why-race's 8 slots; a freed one goes to whichever claims it first. This gateway lost its last ${await racesLost(model)} claims.`,
  );
});

test("with more tenants than a gateway's picture lists, the page of another one says so and counts them all", async ({
  page,
}) => {
  await untilShared();
  const model = "crowded";
  const tenants = Array.from({ length: MOST_LISTED + 8 }, (_, place) => `crowd-${place}`);
  const [like = "", ...names] = tenants;
  const first = await fleet.prepare({ model, slots: SLOTS, tenant: like });
  const [here, busy] = [gatewayAt(0), gatewayAt(1)];
  const secrets = [first, ...(await importCrowd(here.management, { like, names }))];
  loads = secrets.map((secret) => standingRequests({ url: busy.proxyUrl, model, secret, requests: 1 }));
  const seen = async () => (await here.management.call("getFairshareLive", { query: { pool: model } })).data.pools[0];
  await expect.poll(async () => (await seen())?.tenants_total, { timeout: 60_000 }).toBe(tenants.length);
  for (const { management } of [here, busy]) {
    const { data } = await management.call("getFairshareLive", { query: { pool: model } });
    expect(data).toMatchObject({ scope: "cluster", replicas_reporting: 2 });
    expect(data.pools[0]).toMatchObject({
      in_flight: SLOTS,
      queued: tenants.length - SLOTS,
      tenants_total: tenants.length,
      tenants_active: tenants.length,
    });
  }
  await openPool(page, model);
  await expect(page.locator("[data-scope=cluster]")).toContainText("Whole cluster, 2 gateways");
  await expect(page.getByText("The busiest 512 tenants are listed; totals include all 520.")).toBeVisible();
  await expect(page.getByRole("table", { name: "Tenants" })).toHaveAttribute("aria-rowcount", `${MOST_LISTED + 1}`);
  await expect(page.getByTestId("answer")).toContainText(`${SLOTS} of ${SLOTS} in use`);
  await expect(page.getByText(`${tenants.length - SLOTS} waiting`).first()).toBeVisible();
  await expect(page.getByRole("heading", { name: /^This gateway's history since/ })).toBeVisible();
});

test("slots that a silent gateway still has are named with when they come back", async ({ page }) => {
  await untilShared();
  const model = "why-silent";
  const secret = await fleet.prepare({ model, slots: SLOTS, tenant: "survivor" });
  const [here, lost] = [gatewayAt(0), gatewayAt(1)];
  const doomed = standingRequests({ url: lost.proxyUrl, model, secret, requests: SLOTS });
  await expect.poll(() => runningOf(model)).toBe(SLOTS);
  loads = [standingRequests({ url: here.proxyUrl, model, secret, requests: 2 })];
  await openPool(page, model);
  await expect(page.locator('[data-tenant="survivor"] [data-field="in_use"]')).toHaveAttribute("data-value", "8");
  lost.process.kill("SIGKILL");
  await doomed.stop();
  await expectWhy(
    page,
    "survivor",
    "other_replica",
    /8 slots of why-silent still belong to gateway \S+, silent for [\d.]+ s\. They come back within [\d.]+ s\./,
  );
});
