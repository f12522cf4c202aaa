/** A reader's clock may be days off, or be set while a page is open: ages, waits and ends stay those of the servers. */
import type { Page } from "@playwright/test";
import { type BusyPool, startBusyPool } from "../support/busy-pool";
import { expect, signIn, test, watchForComplaints } from "../support/fixtures";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const BOOST_MINUTES = 120;

let pool: BusyPool;
let boostedId = "";

test.beforeAll(async ({ stack }) => {
  const { management } = stack;
  pool = await startBusyPool(stack);
  const tenants = await management.call("listTenants", { query: { limit: 200 } });
  boostedId = tenants.data.items.find((tenant) => tenant.name === "chatbot")?.id ?? "";
  await management.call("createBoost", {
    body: {
      tenant_id: boostedId,
      model: null,
      factor: 2,
      reason: "clocks",
      expires_at: new Date(Date.now() + BOOST_MINUTES * MINUTE_MS).toISOString(),
    },
  });
});
test.afterAll(async () => {
  await pool.stop();
});

/** What the pages say that hangs on the time; true while it is right. */
async function expectRightTimes(page: Page, dashboard: string): Promise<void> {
  await page.goto(`${dashboard}/`);
  await expect(page.locator("[data-freshness=live]")).toBeVisible();
  await expect(page.locator("[data-boosts]")).toContainText(/next ends in (2 h|1 h 5\d min)/);
  await page.goto(`${dashboard}/boosts`);
  await expect(page.getByRole("table", { name: "Boosts" })).toContainText(/2 h|1 h 5\d min/);
  await page.goto(`${dashboard}/fairshare?pool=${pool.model}`);
  await expect(page.locator("[data-freshness=live]")).toBeVisible();
  const waits = page.locator('[data-tenant] [data-field="oldest_wait_ms"]');
  await expect(waits.first()).toHaveText(/^(-|<1 s|[\d.]+ s)$/);
  await expect(page.getByRole("region", { name: "History" })).toContainText(/Running \d/);
}

for (const [words, wrongByMs] of [
  ["two days behind", -2 * DAY_MS],
  ["three hours ahead", 3 * HOUR_MS],
] as const) {
  test(`with the clock ${words} every age, wait and end is right`, async ({ page, stack }) => {
    const complaints = watchForComplaints(page);
    await page.clock.install({ time: Date.now() + wrongByMs });
    await signIn(page, stack);
    await expectRightTimes(page, stack.urls.dashboard);
    expect(complaints).toEqual([]);
  });
}

test("a clock that is set while a page is open changes neither its freshness nor its times", async ({
  page,
  stack,
}) => {
  const complaints = watchForComplaints(page);
  await page.clock.install();
  await signIn(page, stack);
  await page.goto(`${stack.urls.dashboard}/`);
  await expect(page.locator("[data-freshness=live]")).toBeVisible();
  for (const jumpMs of [HOUR_MS, -3 * HOUR_MS]) {
    const states = await watchFreshness(page);
    await page.clock.setSystemTime(Date.now() + jumpMs);
    for (let read = 0; read < 3; read++) await page.waitForResponse(/fairshare\/live/);
    // An answer that a busy machine brings late is late by any clock; a clock that is hours off would make it stale.
    expect((await states.end()).filter((state) => state !== "late")).toEqual(["live"]);
    await expect(page.locator("[data-boosts]")).toContainText(/next ends in (2 h|1 h 5\d min)/);
    await expect(page.getByText(/ h ago|d ago/)).toHaveCount(0);
  }
  expect(complaints).toEqual([]);
});

test("a boost begun under a wrong clock ends when it says", async ({ page, stack }) => {
  await page.clock.install({ time: Date.now() - 5 * HOUR_MS });
  await signIn(page, stack);
  await page.goto(`${stack.urls.dashboard}/boosts?new=true&tenant=${boostedId}&model=${pool.model}`);
  const dialog = page.getByRole("dialog", { name: "Boost a tenant" });
  await dialog.getByLabel("Reason, shown to all").fill("a wrong clock");
  const asked = Date.now();
  await dialog.getByRole("button", { name: "Boost", exact: true }).click();
  await expect(dialog).toBeHidden();
  const { data } = await stack.management.call("listBoosts", { query: { state: "active", limit: 50 } });
  const made = data.items.find((boost) => boost.reason === "a wrong clock");
  const lastsMs = Date.parse(made?.expires_at ?? "") - asked;
  expect(Math.abs(lastsMs - HOUR_MS)).toBeLessThan(MINUTE_MS);
  await stack.management.call("endBoost", { params: { id: made?.id ?? "" } });
});

/** Every freshness that the status bar shows from now on. */
async function watchFreshness(page: Page): Promise<{ end: () => Promise<string[]> }> {
  const watch = await page.evaluateHandle(() => {
    const seen = new Set<string>();
    const look = () => {
      const shown = document.querySelector<HTMLElement>("[data-freshness]")?.dataset.freshness;
      if (shown !== undefined) seen.add(shown);
    };
    const observer = new MutationObserver(look);
    observer.observe(document.body, { subtree: true, childList: true, attributes: true });
    look();
    return { seen, observer };
  });
  return {
    end: () =>
      watch.evaluate(({ seen, observer }) => {
        observer.disconnect();
        return [...seen];
      }),
  };
}
