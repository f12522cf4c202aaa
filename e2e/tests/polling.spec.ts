/** Reading again and again, when something is in the way: a session that ended, an answer that takes its time. */
import type { Request } from "@playwright/test";
import { type BusyPool, startBusyPool } from "../support/busy-pool";
import { expect, signIn, test } from "../support/fixtures";

let pool: BusyPool;

test.beforeAll(async ({ stack }) => {
  pool = await startBusyPool(stack);
});
test.afterAll(async () => {
  await pool.stop();
});

test("a session that ends is told once, asks no more, and signing in leads back to the page and its draft", async ({
  page,
  stack,
}) => {
  const { management } = stack;
  const tenants = await management.call("listTenants", { query: { limit: 200 } });
  const tenant = tenants.data.items.find((one) => one.name === "chatbot");
  const users = await management.call("listUsers", {});
  const me = users.data.items.find((user) => user.email === stack.login.email);
  await signIn(page, stack);
  await page.goto(`${stack.urls.dashboard}/fairshare?pool=${pool.model}&tenant=${tenant?.id}`);
  await page.getByLabel("Weight").fill("321");
  await expect(page.getByTestId("preview-headline")).toBeVisible();

  await management.call("endUserSessions", { params: { id: me?.id ?? "" } });
  const told = page.getByRole("alertdialog", { name: "Your session has ended" });
  await expect(told).toBeVisible({ timeout: 15_000 });
  await page.waitForLoadState("networkidle");
  await expect(page.waitForRequest(/\/api\/v1\//, { timeout: 5000 })).rejects.toThrow(/Timeout/);
  await expect(told).toHaveCount(1);

  await told.getByRole("button", { name: "Sign in" }).click();
  await page.getByLabel("Email").fill(stack.login.email);
  await page.getByLabel("Password").fill(stack.login.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page).toHaveURL(new RegExp(`pool=${pool.model}&tenant=${tenant?.id}`));
  await expect(page.getByLabel("Weight")).toHaveValue("321");
});

test("while an answer takes its time no second one of its kind is asked for, and the page is live when answers come", async ({
  page,
  stack,
}) => {
  const live = /\/fairshare\/live/;
  await signIn(page, stack);
  // Away from a page that reads as well: what it has under way is none of this.
  await page.goto("about:blank");
  const open = new Set<Request>();
  let asked = 0;
  let most = 0;
  page.on("request", (request) => {
    if (!live.test(request.url())) return;
    asked++;
    most = Math.max(most, open.add(request).size);
  });
  page.on("requestfailed", (request) => open.delete(request));
  page.on("requestfinished", (request) => open.delete(request));
  // Nobody answers; each try is given up by the page in its own time.
  await page.route(live, () => undefined);
  await page.goto(`${stack.urls.dashboard}/fairshare`, { waitUntil: "commit" });
  await expect(page.locator("[data-freshness]")).toHaveAttribute("data-freshness", "stale", { timeout: 30_000 });
  expect(asked).toBeGreaterThanOrEqual(3);
  expect(most).toBe(1);
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await expect(page.locator("[data-freshness=live]")).toBeVisible({ timeout: 15_000 });
});
