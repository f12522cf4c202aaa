/** The causes of a wait that lie with the other gateways or with Redis, made on two real gateways and read on the page. */
import { expect, type Page, test } from "@playwright/test";
import { expectWhy } from "../support/explained";
import { Fleet, type Gateway } from "../support/fleet";
import type { Load } from "../support/load";
import { standingRequests } from "../support/standing-requests";

const SLOTS = 8;
const ZONE = "Asia/Kathmandu";

let fleet: Fleet;
let loads: Load[] = [];

test.describe.configure({ mode: "serial" });
test.use({ timezoneId: ZONE });
test.beforeAll(async () => {
  test.setTimeout(180_000);
  // A lost gateway is missed for half a minute: long enough to read about it.
  fleet = await Fleet.start({
    gateways: 2,
    hasDashboard: true,
    env: { OBLETH_FAIRSHARE_REPLICA_TTL_SECS: "30" },
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
  test.setTimeout(120_000);
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

test("slots that a silent gateway still has are named with when they come back", async ({ page }) => {
  test.setTimeout(120_000);
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
