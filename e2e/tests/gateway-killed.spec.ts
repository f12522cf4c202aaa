/** The page while the gateway it reads is gone, after a real kill: what it knew stays, marked as old, and it recovers alone. */
import { expect, type Page, test } from "@playwright/test";
import { allowanceMs } from "../support/allowance";
import { violations } from "../support/axe";
import { shownValue } from "../support/busy-pool";
import { watchForComplaints } from "../support/fixtures";
import { LoneGateway } from "../support/lone-gateway";
import { standingRequests } from "../support/standing-requests";

/** A page that lost its gateway says so within this. */
const STALE_WITHIN_MS = 12_000;
/** And is live again within this of its return. */
const LIVE_WITHIN_MS = 3000;

let gateway: LoneGateway;
let model = "";

test.beforeAll(async () => {
  gateway = await LoneGateway.start();
  const models = await gateway.management.call("listModels", {});
  model = models.data.items[0]?.name ?? "";
});
test.afterAll(() => gateway.stop());

/** The latter on this machine, as busy as it is; to be asked for while the gateway is there. */
async function liveWithinMs(): Promise<number> {
  return LIVE_WITHIN_MS + (await allowanceMs(() => fetch(`${gateway.urls.dashboard}/login`)));
}

async function openFairshare(page: Page): Promise<void> {
  await page.goto(`${gateway.urls.dashboard}/login?next=%2Ffairshare`);
  await page.getByLabel("Email").fill(gateway.login.email);
  await page.getByLabel("Password").fill(gateway.login.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.locator(`[data-row="${model}"]`)).toBeVisible();
}

test("a killed gateway leaves the last numbers, marked as old, and the page is live again by itself", async ({
  page,
}) => {
  const { management } = gateway;
  const tenants = await management.call("listTenants", { query: { limit: 200 } });
  const tenant = tenants.data.items.find((one) => one.name === "chatbot");
  const key = await management.call("createKey", { params: { id: tenant?.id ?? "" }, body: { name: "killed" } });
  const load = standingRequests({ url: gateway.urls.proxy, model, secret: key.data.secret, requests: 12 });
  const exceptions: string[] = [];
  page.on("pageerror", (error) => exceptions.push(error.message));
  await openFairshare(page);
  const row = page.locator(`[data-row="${model}"]`);
  await expect(row.locator('[data-field="in_use"]')).toHaveAttribute("data-value", "8");
  await expect(row.locator('[data-field="queued"]')).toHaveAttribute("data-value", "4");

  const timeout = await liveWithinMs();
  await gateway.killGateway();
  const chip = page.locator("[data-freshness]");
  await expect(chip).toHaveAttribute("data-freshness", "stale", { timeout: STALE_WITHIN_MS });
  await expect(chip).toContainText(/Not updating since \d\d:\d\d:\d\d/);
  await expect(row.locator('[data-field="state"]')).toContainText(/was full/i);
  const kept = await Promise.all(
    ["in_use", "queued", "cap"].map((field) => shownValue(page, `[data-row="${model}"]`, field)),
  );
  expect(kept).toEqual([8, 4, 8]);
  await expect(page.locator("main .stale").first()).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Overview" }).click();
  await expect(page.getByTestId("answer")).toContainText("Cannot read the gateways since", {
    timeout: STALE_WITHIN_MS,
  });
  await page.goBack();
  await load.stop();

  await gateway.startGateway();
  await expect(chip).toHaveAttribute("data-freshness", "live", { timeout });
  await expect(page.locator("main .stale")).toHaveCount(0);
  await expect(row.locator('[data-field="in_use"]')).toHaveAttribute("data-value", "0");
  expect(exceptions).toEqual([]);
});

test("a page opened while the gateway is gone says that it cannot be reached, and fills itself when it returns", async ({
  page,
}) => {
  await openFairshare(page);
  const timeout = await liveWithinMs();
  await gateway.killGateway();
  await page.reload();
  await expect(page.locator("[data-freshness]")).toHaveAttribute("data-freshness", "stale", {
    timeout: STALE_WITHIN_MS,
  });
  await expect(page.locator("[data-no-answer]")).toContainText("Cannot read the gateways");
  expect(await violations(page)).toEqual([]);
  const complaints = watchForComplaints(page);
  await gateway.startGateway();
  await expect(page.locator(`[data-row="${model}"]`)).toBeVisible({ timeout });
  await expect(page.locator("[data-freshness]")).toHaveAttribute("data-freshness", "live");
  await expect(page.locator("[data-no-answer]")).toHaveCount(0);
  expect(complaints.filter((text) => !text.includes("Failed to load resource"))).toEqual([]);
});
