import { expect, type Page, type Route, test } from "@playwright/test";
import { allowanceMs } from "../support/allowance";
import { violations } from "../support/axe";
import { FixtureDashboard } from "../support/fixture-dashboard";
import { openFairshare } from "../support/open-fairshare";

let dashboard: FixtureDashboard;

test.beforeAll(async () => {
  dashboard = await FixtureDashboard.start({ pools: 200, tenants: 2000 });
});
test.afterAll(async () => {
  await dashboard.stop();
});

/** Until the page shows what it has read itself: the next reading begins only after the one before it was taken in. */
async function readsByItself(page: Page): Promise<void> {
  for (let reading = 0; reading < 2; reading++) await page.waitForRequest(/fairshare\/live/);
}

/** As many as are drawn in any window. */
function shownNames(page: Page): Promise<(string | null)[]> {
  return page.locator("[data-row]").evaluateAll((rows) => rows.slice(0, 15).map((row) => row.getAttribute("data-row")));
}

test("200 pools are listed fullest first with under 60 rows and 3,000 elements drawn", async ({ page }) => {
  await openFairshare(page, dashboard.url);
  expect(await page.locator("[data-row]").count()).toBeLessThan(60);
  expect(await page.evaluate(() => document.querySelectorAll("*").length)).toBeLessThan(3000);
  await expect(page.getByRole("table", { name: "Pools" })).toHaveAttribute("aria-rowcount", "201");
  const fill = await page.locator("[data-row]").evaluateAll((rows) =>
    rows.slice(0, 20).map((row) => {
      const of = (field: string) => Number(row.querySelector(`[data-field="${field}"]`)?.getAttribute("data-value"));
      return of("queued") > 0 && of("in_use") >= of("cap");
    }),
  );
  expect(fill.indexOf(false) === -1 || !fill.slice(fill.indexOf(false)).includes(true)).toBe(true);
});

test("the layout stays still while numbers change and the banner about limits comes and goes", async ({ page }) => {
  await openFairshare(page, dashboard.url);
  await page.waitForLoadState("networkidle");
  const shift = await page.evaluateHandle(() => {
    const shift = { sum: 0 };
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[]) {
        if (!entry.hadRecentInput) shift.sum += entry.value;
      }
    }).observe({ type: "layout-shift" });
    return shift;
  });
  const banner = page.locator("[data-mode-banner]");
  const wasThere = await banner.isVisible();
  for (const isThere of [!wasThere, wasThere]) await expect(banner).toBeVisible({ visible: isThere, timeout: 30_000 });
  // What the last change moved is told with the frame after it.
  await page.waitForResponse(/fairshare\/live/);
  expect(await shift.evaluate(({ sum }) => sum)).toBeLessThanOrEqual(0.02);
});

test("order stands still under the pointer", async ({ page }) => {
  await openFairshare(page, dashboard.url);
  await readsByItself(page);
  const names = () => shownNames(page);
  await page.locator("[data-row]").nth(3).hover();
  const before = await names();
  await expect(page.getByRole("button", { name: "Order changed, update" })).toBeVisible({ timeout: 30_000 });
  expect(await names()).toEqual(before);
  await page.getByRole("button", { name: "Order changed, update" }).click();
  await expect.poll(names).not.toEqual(before);
});

test("order stands still under a pointer that lay there before the page's scripts came", async ({ page }) => {
  await openFairshare(page, dashboard.url);
  const held: Route[] = [];
  let isOpen = false;
  await page.route(/\/_next\/static\/.*\.js/, (route) => (isOpen ? route.continue() : void held.push(route)));
  await page.goto(`${dashboard.url}/fairshare`, { waitUntil: "commit" });
  await page.locator("[data-row]").nth(3).hover();
  isOpen = true;
  await Promise.all(held.map((route) => route.continue()));
  await readsByItself(page);
  const before = await shownNames(page);
  // Longer than the list stands still by itself.
  for (let reading = 0; reading < 6; reading++) await page.waitForResponse(/fairshare\/live/);
  await expect(page.getByRole("button", { name: "Order changed, update" })).toBeVisible({ timeout: 30_000 });
  expect(await shownNames(page)).toEqual(before);
});

test("a steady list costs at most 12 KB a second", async ({ page }) => {
  await openFairshare(page, dashboard.url);
  // The page's scripts, and what it reads once, are not what a list costs that stands.
  await page.waitForLoadState("networkidle");
  const client = await page.context().newCDPSession(page);
  await client.send("Network.enable");
  let bytes = 0;
  client.on("Network.loadingFinished", (event) => (bytes += event.encodedDataLength));
  const begun = Date.now();
  for (let read = 0; read < 10; read += 1) await page.waitForResponse(/fairshare\/live/);
  expect(bytes / 1024 / ((Date.now() - begun) / 1000)).toBeLessThanOrEqual(12);
});

test("a silent API turns the page stale with its values kept, and live again when it returns", async ({ page }) => {
  await openFairshare(page, dashboard.url);
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  // Rows are in the page before its scripts run; from its first own read on they are as many as the window has room for.
  await readsByItself(page);
  const allowedMs = await allowanceMs(() => fetch(`${dashboard.url}/login`));
  const rows = await page.locator("[data-row]").count();
  await dashboard.stopApi();
  await expect(page.locator("[data-freshness=stale]")).toContainText("Not updating since", { timeout: 12_000 });
  expect(await page.locator("[data-row]").count()).toBe(rows);
  await expect(page.locator("[data-row] [data-field=state]").first()).toContainText("was");
  expect(await violations(page)).toEqual([]);
  await dashboard.startApi();
  await expect(page.locator("[data-freshness=live]")).toBeVisible({ timeout: 3000 + allowedMs });
  expect(errors).toEqual([]);
});

test("a hidden tab reads nothing", async ({ page }) => {
  await openFairshare(page, dashboard.url);
  await readsByItself(page);
  await page.evaluate(() => {
    Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
    Object.defineProperty(document, "hidden", { value: true, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  });
  await expect(page.waitForRequest(/api\/v1/, { timeout: 4000 })).rejects.toThrow(/Timeout/);
});

test("typing a filter answers at once", async ({ page }) => {
  await openFairshare(page, dashboard.url);
  await page.getByLabel("Filter pools by name").pressSequentially("whisper-2", { delay: 40 });
  await expect(page.locator("[data-row]").first()).toHaveAttribute("data-row", /whisper-2/);
  await expect(page).toHaveURL(/q=whisper-2/);
});

test.describe("before any script runs", () => {
  test.use({ javaScriptEnabled: false });

  test("a page already says what it is about", async ({ page }) => {
    await openFairshare(page, dashboard.url);
    expect(await page.locator("[data-row]").count()).toBeGreaterThan(20);
    await expect(page.getByTestId("answer")).toContainText("Busiest:");
    const worst = page.locator("[data-row]").first();
    const name = await worst.getAttribute("data-row");
    await worst.getByRole("link").click();
    await expect(page.getByRole("heading", { level: 1 })).toContainText(name ?? "");
    await expect(page.locator("[data-tenant]").first()).toBeVisible();
    await page.getByRole("link", { name: "Overview", exact: true }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
    await expect(page.getByText("Busiest pools")).toBeVisible();
  });
});
