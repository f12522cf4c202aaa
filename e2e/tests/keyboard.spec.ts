/** What an engineer and an admin do most, by keyboard alone: the focus is always in sight and goes back where it came from. */
import type { Page } from "@playwright/test";
import { type BusyPool, startBusyPool } from "../support/busy-pool";
import { expect, test } from "../support/fixtures";
import { expectInSight, pressOn, skipToContent, tabTo } from "../support/keyboard";
import { tenantNamed } from "../support/stack";

let pool: BusyPool;

test.beforeAll(async ({ stack }) => {
  pool = await startBusyPool(stack);
});
test.afterAll(async () => {
  await pool.stop();
});

async function open(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await skipToContent(page);
}

test("a person signs in", async ({ page, stack }) => {
  await page.goto(`${stack.urls.dashboard}/login`);
  await expect(page.getByLabel("Email")).toBeFocused();
  await page.keyboard.type(stack.login.email);
  await tabTo(page, page.getByLabel("Password"));
  await page.keyboard.type(stack.login.password);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
});

test("the worst pool is opened, a wait is read, a weight is previewed, saved and put back", async ({
  adminPage: page,
  stack,
}) => {
  const before = (await tenantNamed(stack, "chatbot")).weight;
  await open(page, `${stack.urls.dashboard}/fairshare`);
  await tabTo(page, page.locator("[data-row] [data-row-link]").first());
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`pool=${pool.model}`));

  const why = page.locator('[data-tenant="api-batch"]').getByRole("button", { name: /^Why/ });
  await tabTo(page, why);
  await page.keyboard.press("Enter");
  await expect(page.locator("[data-reason]")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.locator("[data-reason]")).toBeHidden();
  await expect(why).toBeFocused();

  const row = page.locator('[data-tenant="chatbot"] [data-row-link]');
  await row.focus();
  await page.keyboard.press("Enter");
  const panel = page.getByRole("dialog", { name: "chatbot" });
  await expect(panel.getByRole("heading", { name: "chatbot" })).toBeFocused();
  await tabTo(page, panel.getByLabel("Weight"));
  await page.keyboard.press("Shift+ArrowUp");
  await expect(panel.getByTestId("preview-headline")).toBeVisible();
  await page.keyboard.press("Control+Enter");
  await expect.poll(async () => (await tenantNamed(stack, "chatbot")).weight).toBe(before + 1);
  const last = panel.getByTestId("last-change");
  await expect(last).toContainText(`to ${before + 1}`);
  await tabTo(page, last.getByRole("button", { name: "Revert" }));
  await page.keyboard.press("Enter");
  await expect.poll(async () => (await tenantNamed(stack, "chatbot")).weight).toBe(before);
  await page.keyboard.press("Escape");
  await expect(panel).toBeHidden();
  await expect(row).toBeFocused();

  // In a window so low that the toast's place is where the row is, it stands above the row.
  const box = await row.boundingBox();
  await page.setViewportSize({ width: 1280, height: Math.ceil((box?.y ?? 0) + (box?.height ?? 0)) + 30 });
  await expect(page.getByText("Put back")).toBeVisible();
  await expectInSight(page, "the row, beside a toast");
});

test("three group weights are edited, previewed and saved together", async ({ adminPage: page, stack }) => {
  const weights = async () => {
    const { data } = await stack.management.call("listGroups", { query: { limit: 50 } });
    return Object.fromEntries(data.items.slice(0, 3).map((group) => [group.name, group.weight]));
  };
  const before = await weights();
  expect(Object.keys(before)).toHaveLength(3);
  await open(page, `${stack.urls.dashboard}/fairshare/groups`);
  // Rows keep their place while weights are typed, so the first one drafted stays before the others or behind them.
  for (const field of await page.getByRole("textbox", { name: /^Weight of/ }).all()) {
    const name = ((await field.getAttribute("aria-label")) ?? "").replace("Weight of ", "");
    if (!Object.hasOwn(before, name)) continue;
    await tabTo(page, field);
    await page.keyboard.press("ArrowUp");
  }
  await expect(page.getByTestId("draft-summary")).toContainText("3 changes");
  await expect(page.locator(`[data-preview="${pool.model}"]`)).toContainText(/chatbot|No slot moves|changes nothing/);
  await page.keyboard.press("Control+Enter");
  const apply = page.getByRole("button", { name: /^Apply/ });
  await expect(apply.or(page.getByText("No changes"))).toBeVisible();
  if (await apply.isVisible()) await page.keyboard.press("Control+Enter");
  await expect
    .poll(async () => Object.entries(await weights()).filter(([name, now]) => now !== before[name]).length)
    .toBe(3);
  await expect(page.getByRole("textbox", { name: /^Weight of/ }).and(page.locator(":focus"))).toHaveCount(1);
  await stack.management.call("setGroupWeights", { body: { weights: before } });
});

test("a key is made, its secret copied once, its cap set, and it is rotated, disabled and revoked", async ({
  adminPage: page,
  stack,
}) => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  const tenant = await tenantNamed(stack, "chatbot");
  const made = async () => {
    const { data } = await stack.management.call("listKeys", { query: { limit: 200 } });
    return data.items.find((key) => key.name === "by-keyboard");
  };
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const secret = page.getByRole("textbox", { name: "Secret" });
  await open(page, `${stack.urls.dashboard}/tenants/${tenant.id}?tab=keys`);
  await pressOn(page, button("Make a key"));
  await tabTo(page, page.getByRole("dialog").getByLabel("Name"));
  await page.keyboard.type("by-keyboard");
  await pressOn(page, button("Make the key"));
  await expect(secret).toBeFocused();
  const first = await secret.inputValue();
  await pressOn(page, button("Copy"));
  await expect.poll(copied).toBe(first);
  await pressOn(page, button("I have stored it"));
  await expect(secret).toBeHidden();
  await expect(button("Make a key")).toBeFocused();

  const row = page.getByRole("link", { name: "by-keyboard" });
  await pressOn(page, row);
  const panel = page.getByRole("dialog", { name: "by-keyboard" });
  await expect(panel.getByRole("heading", { name: "by-keyboard" })).toBeFocused();
  await tabTo(page, panel.getByLabel("Cap"));
  await page.keyboard.type("3");
  await page.keyboard.press("Control+Enter");
  await expect.poll(async () => (await made())?.max_in_flight).toBe(3);
  await expect(panel.getByLabel("Cap")).toBeFocused();
  await expect(panel.getByTestId("last-change")).toContainText("to 3");
  await pressOn(page, panel.getByTestId("last-change").getByRole("button", { name: "Revert" }));
  await expect.poll(async () => (await made())?.max_in_flight).toBe(null);

  await pressOn(page, panel.getByRole("button", { name: "Rotate the secret" }));
  await pressOn(page, button("Rotate"));
  await expect(secret).toBeFocused();
  expect(await secret.inputValue()).not.toBe(first);
  await pressOn(page, button("I have stored it"));
  await expect(secret).toBeHidden();
  await expect(panel.getByRole("button", { name: "Rotate the secret" })).toBeFocused();

  await pressOn(page, panel.getByRole("button", { name: "Disable" }));
  await expect.poll(async () => (await made())?.disabled).toBe(true);
  await expect(panel.getByRole("button", { name: "Turn on again" })).toBeFocused();
  await pressOn(page, panel.getByRole("button", { name: "Revoke" }));
  await expect(page.getByRole("alertdialog").getByRole("button", { name: "Cancel" })).toBeFocused();
  await pressOn(page, page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }));
  await expect.poll(made).toBe(undefined);
  await expect(panel).toBeHidden();
  await expect(row).toHaveCount(0);
  await expect(page.locator("#content")).toBeFocused();
});

test("a boost begins and ends, and a page is paused and goes on", async ({ adminPage: page, stack }) => {
  await open(page, `${stack.urls.dashboard}/boosts`);
  const begin = page.getByRole("button", { name: "Boost a tenant" });
  await tabTo(page, begin);
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Boost a tenant" });
  await expect(dialog.getByLabel("Tenant")).toBeFocused();
  await page.keyboard.type("chatbot");
  await tabTo(page, dialog.getByLabel("Reason, shown to all"));
  await page.keyboard.type("night shift");
  await tabTo(page, dialog.getByRole("button", { name: "Boost", exact: true }));
  await page.keyboard.press("Enter");
  await expect(dialog).toBeHidden();
  await expect(begin).toBeFocused();

  await tabTo(page, page.getByRole("button", { name: "End now" }));
  await page.keyboard.press("Enter");
  const alert = page.getByRole("alertdialog");
  await expect(alert.getByRole("button", { name: "Cancel" })).toBeFocused();
  await tabTo(page, alert.getByRole("button", { name: "End now" }));
  await page.keyboard.press("Enter");
  await expect(page.getByText("Nobody is boosted").first()).toBeVisible();
  await expect(page.locator("#content")).toBeFocused();

  await page.keyboard.press("p");
  await expect(page.locator("[data-freshness=paused]")).toBeVisible();
  await page.keyboard.press("p");
  await expect(page.locator("[data-freshness=live]")).toBeVisible();
});
