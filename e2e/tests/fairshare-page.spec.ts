import type { Page } from "@playwright/test";
import { type BusyPool, shownValue, startBusyPool } from "../support/busy-pool";
import { expect, test } from "../support/fixtures";
import { compareStates, keepAnswers } from "../support/shown-numbers";

const SNAPSHOTS = 50;

let pool: BusyPool;

test.beforeAll(async ({ stack }) => {
  pool = await startBusyPool(stack);
});
test.afterAll(async () => {
  await pool.stop();
});

const open = (page: Page, dashboard: string, search: string) => page.goto(`${dashboard}/fairshare${search}`);

test("the lanes of 8 slots under 500 and 50 are 7 and 1, with nothing borrowed", async ({ adminPage, stack }) => {
  await open(adminPage, stack.urls.dashboard, `?pool=${pool.model}`);
  const lanes = () =>
    adminPage.locator("[data-lane]").evaluateAll((found) =>
      found.map((lane) => {
        const of = (field: string) => lane.querySelector(`[data-field="${field}"]`)?.getAttribute("data-value") ?? null;
        return [of("in_use"), of("slot_cap"), of("borrowed")];
      }),
    );
  await expect.poll(lanes, { timeout: 20_000 }).toEqual([
    ["7", "7", null],
    ["1", "1", null],
  ]);
  await expect(adminPage.getByTestId("answer")).toContainText("8 of 8 in use");
});

test("a wait is explained in the engine's words, and the numbers stay while it is read", async ({
  adminPage,
  stack,
}) => {
  await open(adminPage, stack.urls.dashboard, `?pool=${pool.model}`);
  const row = adminPage.locator('[data-tenant="api-batch"]');
  await row.getByRole("button", { name: /^Why/ }).click();
  const why = adminPage.locator("[data-reason]");
  await expect(why).toBeVisible();
  const reason = await why.getAttribute("data-reason");
  expect(["pool_full", "next_in_line", "below_share"]).toContain(reason);
  const text = await why.textContent();
  expect(text).toContain("api-batch");
  // Two more readings of the live state must not change what is being read.
  for (let reading = 0; reading < 2; reading++) {
    await adminPage.waitForResponse((response) => response.url().includes("/fairshare/live"));
  }
  expect(await why.textContent()).toBe(text);
  await adminPage.keyboard.press("Escape");
  await expect(why).toBeHidden();
});

test("over 50 states each number of the list and of a pool is the one the API gave", async ({
  adminPage: page,
  stack,
}) => {
  test.setTimeout(360_000);
  await keepAnswers(page);
  await open(page, stack.urls.dashboard, "");
  await expect.poll(() => shownValue(page, `[data-row="${pool.model}"]`, "cap")).toBe(8);
  expect(await compareStates(page, "list", SNAPSHOTS)).toEqual({ states: SNAPSHOTS, faults: [] });
  await open(page, stack.urls.dashboard, `?pool=${pool.model}`);
  await expect(page.locator('[data-tenant="chatbot"]')).toBeVisible();
  expect(await compareStates(page, "pool", SNAPSHOTS)).toEqual({ states: SNAPSHOTS, faults: [] });
});

test("a filter is in the address, survives Back, and 404s nobody", async ({ adminPage, stack }) => {
  await open(adminPage, stack.urls.dashboard, "");
  await adminPage.getByRole("button", { name: /^Full/ }).click();
  await expect(adminPage).toHaveURL(/state=full/);
  await adminPage.getByRole("link", { name: pool.model }).first().click();
  await expect(adminPage).toHaveURL(/pool=/);
  await adminPage.goBack();
  await expect(adminPage).toHaveURL(/state=full/);
  await expect(adminPage.getByRole("button", { name: /^Full/ })).toHaveAttribute("aria-pressed", "true");
  for (const nonsense of ["?state=nonsense&sort=7&pool=", "?pool=%00&group=%0a", `?pool=${"x".repeat(3000)}`]) {
    await open(adminPage, stack.urls.dashboard, nonsense);
    await expect(adminPage.getByRole("heading", { level: 1, name: "Fairshare" })).toBeVisible();
    await expect(adminPage.locator(`[data-row="${pool.model}"]`)).toBeVisible();
  }
});

test("back from a pool the list is where it was left", async ({ adminPage: page, stack }) => {
  await page.setViewportSize({ width: 1280, height: 300 });
  await open(page, stack.urls.dashboard, "");
  const link = page.getByRole("link", { name: pool.model }).first();
  await expect(link).toBeVisible();
  await page.evaluate(() => {
    window.scrollTo(0, 120);
    // Whoever presses the link may scroll for it.
    const note = () => sessionStorage.setItem("left at", String(window.scrollY));
    addEventListener("click", note, { capture: true, once: true });
  });
  await link.click();
  await expect(page.getByRole("heading", { level: 1, name: pool.model })).toBeVisible();
  const leftAt = await page.evaluate(() => Number(sessionStorage.getItem("left at")));
  expect(leftAt).toBeGreaterThan(0);
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0);
  await page.goBack();
  await expect(page.getByRole("heading", { level: 1, name: "Fairshare" })).toBeVisible();
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(leftAt);
});

test("an unknown pool offers the nearest names", async ({ adminPage, stack }) => {
  await open(adminPage, stack.urls.dashboard, `?pool=${pool.model}x`);
  await expect(adminPage.getByRole("link", { name: pool.model })).toBeVisible();
});

test("paused, nothing is read and the page says since when", async ({ adminPage, stack }) => {
  await open(adminPage, stack.urls.dashboard, "");
  await expect(adminPage.locator("[data-freshness=live]")).toBeVisible();
  await adminPage.keyboard.press("p");
  await expect(adminPage.locator("[data-freshness=paused]")).toContainText("Paused at");
  await expect(adminPage.waitForRequest(/fairshare\/live/, { timeout: 3000 })).rejects.toThrow(/Timeout/);
  await adminPage.keyboard.press("p");
  await expect(adminPage.locator("[data-freshness=live]")).toBeVisible();
});

test("a pause is part of the address: it outlives other pages and a reload, which reads once", async ({
  adminPage,
  stack,
}) => {
  await open(adminPage, stack.urls.dashboard, "");
  await expect(adminPage.locator("[data-freshness=live]")).toBeVisible();
  await adminPage.waitForLoadState("networkidle");
  await adminPage.keyboard.press("p");
  await expect(adminPage).toHaveURL(/[?&]paused=true/);
  await adminPage.locator("[data-row-link]").first().click();
  await expect(adminPage).toHaveURL(/pool=.*paused=true|paused=true.*pool=/);
  await adminPage.reload();
  await expect(adminPage.locator("[data-freshness=paused]")).toBeVisible();
  await expect(adminPage.locator("[data-tenant]").first()).toBeVisible();
  await expect(adminPage).toHaveURL(/[?&]paused=true/);
  await adminPage.waitForLoadState("networkidle");
  await adminPage.keyboard.press("p");
  await expect(adminPage.locator("[data-freshness=live]")).toBeVisible();
  await expect(adminPage).not.toHaveURL(/paused/);
});

test("a reason opened by its key gives the focus back to the row, from where Enter leads on", async ({
  adminPage,
  stack,
}) => {
  await open(adminPage, stack.urls.dashboard, `?pool=${pool.model}`);
  const row = adminPage.locator('[data-tenant="chatbot"] [data-row-link]');
  await adminPage.waitForLoadState("networkidle");
  await row.focus();
  await adminPage.keyboard.press("w");
  const reason = adminPage.getByRole("dialog", { name: /^Why chatbot/ });
  await expect(reason).toBeVisible();
  await adminPage.keyboard.press("Escape");
  await expect(reason).toBeHidden();
  await expect(row).toBeFocused();
  await adminPage.keyboard.press("Enter");
  await expect(adminPage.getByRole("dialog", { name: "chatbot", exact: true })).toBeVisible();
});

test("keys lead from the palette to a pool, along its rows and to its neighbours", async ({ adminPage, stack }) => {
  await open(adminPage, stack.urls.dashboard, "");
  await adminPage.keyboard.press("Control+k");
  await adminPage.getByPlaceholder(/^Search/).fill(pool.model);
  await adminPage.keyboard.press("Enter");
  await expect(adminPage).toHaveURL(new RegExp(`pool=${pool.model}`));
  await adminPage.locator('[data-tenant="chatbot"] [data-row-link]').focus();
  await adminPage.keyboard.press("j");
  await expect(adminPage.locator('[data-tenant="api-batch"] [data-row-link]')).toBeFocused();
  await adminPage.keyboard.press("Space");
  await expect(adminPage.locator("[data-key]").first()).toBeVisible();
  await adminPage.keyboard.press("g");
  await adminPage.keyboard.press("t");
  await expect(adminPage).toHaveURL(/\/tenants$/);
});
