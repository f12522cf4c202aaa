/** What a reader with a phone in the hand sees of the frame: all of it. */
import type { Page } from "@playwright/test";
import { FixtureDashboard } from "../support/fixture-dashboard";
import { expect, signIn, test } from "../support/fixtures";
import { openFairshare } from "../support/open-fairshare";
import { pagesOf } from "../support/pages";

let dashboard: FixtureDashboard;

test.beforeAll(async () => {
  dashboard = await FixtureDashboard.start({ pools: 80, tenants: 800 });
});
test.afterAll(async () => {
  await dashboard.stop();
});

/** Chips of the status bar that do not show whole: wider or higher than their place, under another one, or out of the bar. */
function cutChips(page: Page): Promise<string[]> {
  return page.locator("[data-status-bar]").evaluate((bar) => {
    const within = bar.getBoundingClientRect();
    const chips = [...bar.children].map((chip) => ({ chip, box: chip.getBoundingClientRect() }));
    const isApart = (a: DOMRect, b: DOMRect) =>
      a.right <= b.left + 0.5 || b.right <= a.left + 0.5 || a.bottom <= b.top + 0.5 || b.bottom <= a.top + 0.5;
    return chips.flatMap(({ chip, box }) => {
      const isOut = box.left < within.left || box.right > within.right + 0.5 || box.top < within.top - 0.5;
      const isCut = chip.scrollWidth > chip.clientWidth + 1 || chip.scrollHeight > chip.clientHeight + 1;
      const isUnder = chips.some((other) => other.chip !== chip && !isApart(box, other.box));
      return isOut || box.bottom > within.bottom + 0.5 || isCut || isUnder ? [chip.textContent ?? ""] : [];
    });
  });
}

test("on a phone the names in a list have their place, however long the list is", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 800 });
  await openFairshare(page, dashboard.url);
  const table = page.getByRole("table", { name: "Pools" });
  await expect(table).toHaveAttribute("aria-rowcount", "81");
  const headings = table.getByRole("columnheader");
  // A phone's columns are there once its width is known.
  await expect(headings).toHaveCount(3);
  const widths = await headings.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().width));
  expect(Math.max(...widths)).toBe(widths[0]);
  const whole = await table.evaluate((one) => one.getBoundingClientRect().width);
  expect(widths.reduce((sum, width) => sum + width, 0)).toBeCloseTo(whole, 0);
});

/** What lies beyond the window or beyond its table's frame. */
function beyond(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const frames = [...document.querySelectorAll("table")].map((table) => table.parentElement ?? table);
    return [document.documentElement, ...frames]
      .filter((one) => one.scrollWidth > one.clientWidth + 1)
      .map(
        (one) =>
          `${one.scrollWidth} in ${one.clientWidth}: ${one === document.documentElement ? "page" : one.textContent?.slice(0, 60)}`,
      );
  });
}

test("a name of 128 letters pushes nothing out of sight, on a phone and on a screen", async ({ page, stack }) => {
  test.setTimeout(240_000);
  const { management } = stack;
  const name = "a-name-that-nothing-stopped-".padEnd(128, "x");
  await management.call("createGroup", { body: { name, weight: 100 } });
  await management.call("createModel", { body: { name, max_in_flight: 2, api_base: `${stack.simulator.url}/v1` } });
  const { data: tenant } = await management.call("createTenant", { body: { name, group: name } });
  await management.call("createKey", { params: { id: tenant.id }, body: { name } });
  await signIn(page, stack);
  const pool = `/fairshare?pool=${encodeURIComponent(name)}`;
  const draft = `/fairshare/groups?w=${encodeURIComponent(name)}:900&all=true&steps=true&size=20`;
  const pages = [...pagesOf({ model: name, tenantId: tenant.id }), pool, `${pool}&tenant=${tenant.id}`, draft];
  for (const path of pages) {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${stack.urls.dashboard}${path}`);
    await page.waitForLoadState("networkidle");
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await expect.poll(() => beyond(page), { message: `${path.replaceAll(name, "NAME")} at ${width}` }).toEqual([]);
    }
  }
  await management.call("deleteTenant", { params: { id: tenant.id } });
  await management.call("deleteModel", { params: { id: name } });
  await management.call("deleteGroup", { params: { name } });
});

test("on a phone the status bar shows whole how old the data is, whose it is and who is boosted, in every state", async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 800 });
  await openFairshare(page, dashboard.url);
  const wholeAt = async (state: string) => {
    await expect(page.locator(`[data-freshness=${state}]`)).toBeVisible({ timeout: 30_000 });
    for (const width of [390, 360, 320]) {
      await page.setViewportSize({ width, height: 800 });
      // A page is drawn for its new width a moment after it has it.
      await expect.poll(() => cutChips(page), { message: `${state} at ${width} px` }).toEqual([]);
    }
  };
  await expect(page.getByText("Whole cluster, 3 gateways")).toBeVisible();
  await wholeAt("live");
  await page.getByRole("button", { name: "Pause" }).click();
  await wholeAt("paused");
  await page.getByRole("button", { name: "Resume" }).click();
  await wholeAt("live");
  await dashboard.stopApi();
  await wholeAt("stale");
});
