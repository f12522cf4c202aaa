import { expect, type Page, test } from "@playwright/test";
import { Fleet, HEARTBEAT_SECS, REPLICA_TTL_SECS } from "../support/fleet";
import { judge } from "../support/limit-judge";
import { type Load, startLoad } from "../support/load";
import { VisitLog } from "../support/visit-log";
import type { Ways } from "../support/ways";

const MODEL = "shared-model";
const SLOTS = 8;

let fleet: Fleet;
let secret: string;
let loads: Load[] = [];
let log: VisitLog | undefined;
let ways: Ways | undefined;

test.describe.configure({ mode: "serial" });
test.beforeAll(async () => {
  fleet = await Fleet.start({ gateways: 2, hasDashboard: true });
  secret = await fleet.prepare({ model: MODEL, slots: SLOTS, tenant: "chatbot" });
});
test.afterEach(async () => {
  await Promise.all(loads.map((load) => load.stop()));
  loads = [];
  log?.end();
  ways?.end();
});
test.afterAll(() => fleet.stop());

function loadEveryGateway(): void {
  loads = fleet.gateways.map(({ proxyUrl, name }) =>
    startLoad({ url: proxyUrl, secret, model: MODEL, clients: 12, answerTokens: 10, marker: name }),
  );
}

async function signIn(page: Page): Promise<void> {
  await page.goto(`${fleet.dashboardUrl}/login`);
  await page.getByLabel("Email").fill(fleet.login.email);
  await page.getByLabel("Password").fill(fleet.login.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("navigation", { name: "Main" })).toBeVisible();
}

/** The backend's record and the ways to it begin anew. */
async function beginRecord(): Promise<void> {
  log = await VisitLog.begin(fleet.simulator, MODEL);
  ways = fleet.measureWays();
}

const modes = () => fleet.modes();
const running = async () => (await fleet.simulator.state()).models[MODEL]?.running ?? 0;
/** On a busy machine an answer of Redis may come late and a gateway be on its own for a moment; the rules say what then holds. */
const judged = async () =>
  judge({
    visits: (await log?.visits()) ?? [],
    gateways: await fleet.modeChanges(),
    slots: SLOTS,
    part: SLOTS / 2,
    heartbeatMs: HEARTBEAT_SECS * 1000,
    ttlMs: REPLICA_TTL_SECS * 1000,
    longestWayMs: ways?.longestMs() ?? 0,
  });
const highWater = async () => (await fleet.simulator.state()).models[MODEL]?.high_water ?? 0;
const answered = () => loads.reduce((sum, load) => sum + load.answered(), 0);

test("two gateways together let through as many requests as the pool has slots, and the page shows both", async ({
  page,
}) => {
  await expect.poll(modes, { timeout: 15_000 }).toEqual(["shared", "shared"]);
  await beginRecord();
  loadEveryGateway();
  await expect.poll(running, { intervals: [20] }).toBe(SLOTS);
  await expect.poll(answered, { timeout: 30_000 }).toBeGreaterThan(60);
  expect((await judged()).faults).toEqual([]);
  expect(await highWater()).toBeGreaterThanOrEqual(SLOTS);
  expect(loads.flatMap((load) => load.errors)).toEqual([]);
  await signIn(page);
  await page.goto(`${fleet.dashboardUrl}/fairshare?pool=${MODEL}`);
  await expect(page.getByText("Whole cluster, 2 gateways")).toBeVisible({ timeout: 30_000 });
});

test("without Redis each gateway holds its part, says so, and returns to shared slots with it", async ({ page }) => {
  await signIn(page);
  await page.goto(`${fleet.dashboardUrl}/fairshare`);
  fleet.wire.cut();
  await expect.poll(modes, { timeout: 15_000 }).toEqual(["fallback", "fallback"]);
  await expect(page.getByText("Shared slots are unavailable")).toBeVisible();
  await beginRecord();
  loadEveryGateway();
  await expect.poll(answered, { timeout: 30_000 }).toBeGreaterThan(40);
  expect(await highWater()).toBeLessThanOrEqual(SLOTS);

  fleet.wire.mend();
  await expect.poll(modes, { timeout: 15_000 }).toEqual(["shared", "shared"]);
  const before = answered();
  await expect.poll(answered, { timeout: 30_000 }).toBeGreaterThan(before + 40);
  expect((await judged()).faults).toEqual([]);
  expect(loads.flatMap((load) => load.errors)).toEqual([]);
  await expect(page.getByText("Shared slots are unavailable")).toBeHidden();
});

test("a killed gateway's slots come back and nobody else sees an error", async () => {
  const [kept, lost] = fleet.gateways;
  if (kept === undefined || lost === undefined) throw new Error("two gateways were started");
  await expect.poll(modes, { timeout: 15_000 }).toEqual(["shared", "shared"]);
  await beginRecord();
  const doomed = startLoad({ url: lost.proxyUrl, secret, model: MODEL, clients: SLOTS, answerTokens: 4000 });
  await expect.poll(running).toBe(SLOTS);
  const survivors = startLoad({
    url: kept.proxyUrl,
    secret,
    model: MODEL,
    clients: SLOTS,
    answerTokens: 10,
    marker: kept.name,
  });
  loads = [doomed, survivors];
  const allowanceMs = await fleet.allowanceMs();
  lost.process.kill("SIGKILL");
  const killedMs = Date.now();
  const startedMs = async () =>
    (await log?.visits())?.find(({ marker, fromMs }) => marker === kept.name && fromMs > killedMs)?.fromMs ?? 0;
  await expect.poll(startedMs, { intervals: [50], timeout: 20_000 }).toBeGreaterThan(killedMs);
  expect((await startedMs()) - killedMs).toBeLessThan((REPLICA_TTL_SECS + HEARTBEAT_SECS) * 1000 + allowanceMs);
  await doomed.stop();
  await expect.poll(() => survivors.answered(), { timeout: 20_000 }).toBeGreaterThan(SLOTS);
  expect(survivors.errors).toEqual([]);
});
