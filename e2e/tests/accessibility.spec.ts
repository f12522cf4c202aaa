import type { Page } from "@playwright/test";
import { violations } from "../support/axe";
import { type BusyPool, startBusyPool } from "../support/busy-pool";
import { expect, signIn, test } from "../support/fixtures";

let pool: BusyPool;
let tenantId = "";

test.beforeAll(async ({ stack }) => {
  pool = await startBusyPool(stack);
  const { data } = await stack.management.call("listTenants", { query: { limit: 200 } });
  tenantId = data.items.find((tenant) => tenant.name === "chatbot")?.id ?? "";
});
test.afterAll(async () => {
  await pool.stop();
});

const pages = () => [
  "/",
  "/fairshare",
  `/fairshare?pool=${pool.model}`,
  `/fairshare?pool=${pool.model}&view=strip`,
  `/fairshare?pool=${pool.model}&tenant=${tenantId}`,
  "/fairshare?pool=no-such-pool",
  "/fairshare?q=no-such-pool",
  "/fairshare/groups?steps=true&size=20",
  "/boosts",
  "/boosts?new=true",
  "/models",
  "/models?new=true",
  `/models/${pool.model}`,
  `/models/${pool.model}?tab=capacity`,
  `/models/${pool.model}?tab=endpoints`,
  `/models/${pool.model}?tab=settings`,
  "/tenants",
  `/tenants/${tenantId}`,
  `/tenants/${tenantId}?tab=limits`,
  `/tenants/${tenantId}?tab=keys`,
  "/keys",
  "/usage",
  "/audit",
  "/settings?tab=cluster",
  "/settings?tab=gateway",
  "/settings?tab=people",
  "/settings?tab=appearance",
];

async function settle(page: Page): Promise<void> {
  await expect(page.getByRole("heading", { level: 1 }).or(page.getByRole("dialog"))).not.toHaveCount(0);
  await expect(page.locator("[role=status][aria-label^=Reading]")).toHaveCount(0);
  await page.waitForLoadState("networkidle");
}

/** Every rule once; in the dark theme those that colours can break. */
const RULES = { light: null, dark: ["color-contrast", "link-in-text-block"] } as const;

for (const colorScheme of ["light", "dark"] as const) {
  test.describe(`in ${colorScheme}`, () => {
    test.use({ colorScheme, contextOptions: { reducedMotion: "reduce" } });

    test("no page breaks a rule of accessibility", async ({ page, stack }) => {
      test.setTimeout(300_000);
      await page.goto(`${stack.urls.dashboard}/login`);
      expect(await violations(page, RULES[colorScheme]), "/login").toEqual([]);
      await signIn(page, stack);
      const found: Record<string, string[]> = {};
      for (const path of pages()) {
        await page.goto(`${stack.urls.dashboard}${path}`);
        await settle(page);
        const broken = await violations(page, RULES[colorScheme]);
        if (broken.length > 0) found[path] = broken;
      }
      expect(found).toEqual({});
    });
  });
}

test("at 320 pixels no page scrolls sideways", async ({ page, stack }) => {
  test.setTimeout(240_000);
  await signIn(page, stack);
  await page.setViewportSize({ width: 320, height: 640 });
  const wide: string[] = [];
  for (const path of pages()) {
    await page.goto(`${stack.urls.dashboard}${path}`);
    await settle(page);
    const extra = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    if (extra > 0) wide.push(`${path}: ${extra}`);
  }
  expect(wide).toEqual([]);
});

test("with reduced motion nothing keeps moving", async ({ page, stack }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await signIn(page, stack);
  for (const path of ["/", "/fairshare", `/fairshare?pool=${pool.model}&tenant=${tenantId}`]) {
    await page.goto(`${stack.urls.dashboard}${path}`);
    await settle(page);
    const running = await page.evaluate(
      () => document.getAnimations().filter((one) => one.playState === "running").length,
    );
    expect(running, path).toBe(0);
  }
});

test("by keyboard alone: a weight is changed from the list and put back", async ({ adminPage: page, stack }) => {
  await page.goto(`${stack.urls.dashboard}/fairshare`);
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
  await page.keyboard.press("Enter");
  await page.locator(`[data-row="${pool.model}"] [data-row-link]`).focus();
  await page.keyboard.press("Enter");
  const row = page.locator('[data-tenant="chatbot"] [data-row-link]');
  await row.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "chatbot" })).toBeVisible();
  await page.getByLabel("Weight").focus();
  await page.keyboard.press("Shift+ArrowUp");
  await page.keyboard.press("Control+Enter");
  await expect(page.getByTestId("last-change")).toContainText("Last change: you");
  await page.getByTestId("last-change").getByRole("button", { name: "Revert" }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByText("Put back").first()).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
  expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe("BODY");
});
