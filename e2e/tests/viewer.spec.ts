/** Someone who may only look: every page is there, and nothing on it offers a change that the gateway would refuse. */
import type { Page } from "@playwright/test";
import { expect, test } from "../support/fixtures";

const VIEWER = { email: "looks-only@example.com", password: "a password to look with" };

/** Controls that could begin a change, by what they are called. */
async function openControls(page: Page, within: string): Promise<string[]> {
  await page.waitForLoadState("networkidle");
  const controls = page.locator(within).locator("input:enabled, select:enabled, textarea:enabled, button:enabled");
  return controls.evaluateAll((all) =>
    all.map((one) => one.getAttribute("aria-label") || one.textContent || one.getAttribute("name") || one.tagName),
  );
}

test("who may only look finds no control that changes something, whatever page or link was opened", async ({
  page,
  stack,
}) => {
  await stack.management.call("createUser", { body: { ...VIEWER, role: "viewer" } });
  const models = await stack.management.call("listModels", {});
  const model = encodeURIComponent(models.data.items[0]?.name ?? "");
  const tenants = await stack.management.call("listTenants", { query: { limit: 1 } });
  const tenant = tenants.data.items[0]?.id ?? "";
  await page.goto(`${stack.urls.dashboard}/login`);
  await page.getByLabel("Email").fill(VIEWER.email);
  await page.getByLabel("Password").fill(VIEWER.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("navigation", { name: "Main" })).toBeVisible();

  const isPreviewChoice = (name: string) => /^(What |If everyone|With today)/.test(name);
  const forms = ["capacity", "endpoints", "settings"].map((tab) => `/models/${model}?tab=${tab}`);
  for (const path of [...forms, `/tenants/${tenant}?tab=limits`]) {
    await page.goto(`${stack.urls.dashboard}${path}`);
    await expect(page.getByRole("tabpanel").getByRole("region").first()).toBeVisible();
    await expect(page.locator("[role=tabpanel]").locator("input, select, textarea, button").first()).toBeVisible();
    const open = await openControls(page, "[role=tabpanel]");
    expect(
      open.filter((name) => !isPreviewChoice(name)),
      path,
    ).toEqual([]);
  }
  await page.goto(`${stack.urls.dashboard}/fairshare?pool=${model}&tenant=${tenant}`);
  await expect(page.getByRole("dialog").getByLabel("Weight")).toBeDisabled();
  expect(await page.getByRole("dialog").locator("input:enabled, select:enabled").count()).toBe(0);

  for (const path of ["/models?new=true", "/models?import=true", "/tenants?new=true", "/boosts?new=true"]) {
    await page.goto(`${stack.urls.dashboard}${path}`);
    await page.waitForLoadState("networkidle");
    await expect(page.getByRole("dialog"), path).toHaveCount(0);
  }
});
