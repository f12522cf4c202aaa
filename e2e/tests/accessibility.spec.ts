import type { Page } from "@playwright/test";
import { violations } from "../support/axe";
import { type BusyPool, startBusyPool } from "../support/busy-pool";
import { expect, signIn, test } from "../support/fixtures";
import { pagesOf } from "../support/pages";

let pool: BusyPool;
let tenantId = "";
let keyPanel = "";

test.beforeAll(async ({ stack }) => {
  pool = await startBusyPool(stack);
  const { data } = await stack.management.call("listTenants", { query: { limit: 200 } });
  tenantId = data.items.find((tenant) => tenant.name === "chatbot")?.id ?? "";
  const keys = await stack.management.call("listKeys", { query: { limit: 200 } });
  keyPanel = `/keys?key=${keys.data.items[0]?.id}`;
});
test.afterAll(async () => {
  await pool.stop();
});

const pages = () => [
  ...pagesOf({ model: pool.model, tenantId }),
  `/fairshare?pool=${pool.model}`,
  `/fairshare?pool=${pool.model}&view=strip`,
  `/fairshare?pool=${pool.model}&tenant=${tenantId}`,
  "/fairshare?pool=no-such-pool",
  "/fairshare?q=no-such-pool",
  "/fairshare/groups?steps=true&size=20",
  "/boosts?new=true",
  "/models?new=true",
  "/models/%E0%A4%A",
  "/no-such-page",
];

async function settle(page: Page): Promise<void> {
  await expect(page.getByRole("heading", { level: 1 }).or(page.getByRole("dialog"))).not.toHaveCount(0);
  await expect(page.locator("[role=status][aria-label^=Reading]")).toHaveCount(0);
  await page.waitForLoadState("networkidle");
}

/** Opens what lies over a page: by the buttons named, one after the other. */
const press =
  (...names: readonly (string | RegExp)[]): Open =>
  async (page) => {
    for (const name of names) await page.getByRole("button", { name }).first().click();
  };
const pressKey =
  (key: string): Open =>
  (page) =>
    page.keyboard.press(key);

type Open = (page: Page) => Promise<void>;

/** Dialogs, sheets and popovers that no address opens. */
const layers = (): readonly (readonly [path: string, open: Open])[] => [
  ["/", pressKey("Control+k")],
  ["/", pressKey("Shift+?")],
  ["/", press(/^Account/)],
  ["/", press("Snooze")],
  [`/fairshare?pool=${pool.model}`, press(/^Why/)],
  [`/fairshare?pool=${pool.model}`, press(/what you can do/i)],
  [
    `/fairshare?pool=${pool.model}&tenant=${tenantId}`,
    async (page) => {
      await page.getByLabel("Weight").fill("750");
      await expect(page.getByTestId("preview-headline")).toBeVisible();
      await page.keyboard.press("Escape");
    },
  ],
  ["/fairshare/groups", press("New group")],
  ["/fairshare/groups", press("More for chatbot", "Name and colour")],
  ["/models", press("Import")],
  [`/models/${pool.model}`, (page) => page.getByRole("switch").click()],
  [`/models/${pool.model}?tab=endpoints`, press("Add an endpoint")],
  [`/models/${pool.model}?tab=endpoints`, press("Remove")],
  [`/models/${pool.model}?tab=settings`, press(/^Delete/)],
  ["/tenants", press("Add a tenant")],
  [`/tenants/${tenantId}?tab=limits`, press(/^Suspend/)],
  [`/tenants/${tenantId}?tab=limits`, press(/^Delete/)],
  [`/tenants/${tenantId}?tab=keys`, press("Make a key")],
  [
    `/tenants/${tenantId}?tab=keys`,
    async (page) => {
      await press("Make a key")(page);
      await page.getByRole("dialog").getByLabel("Name").fill("looked at");
      await press("Make the key")(page);
      await expect(page.getByRole("textbox", { name: "Secret" })).toBeVisible();
    },
  ],
  [keyPanel, async () => undefined],
  [keyPanel, press("Rotate the secret")],
  [keyPanel, press("Revoke")],
  ["/settings?tab=people", press("Add a person")],
  ["/settings?tab=people", press("Reset link")],
];

/** Every rule once; in the dark theme those that colours can break. */
const RULES = { light: null, dark: ["color-contrast", "link-in-text-block"] } as const;

/** What breaks a rule in either theme. Every other page opens in the dark; the theme follows the system's while it stands. */
async function violationsInBothThemes(page: Page, visit: number): Promise<string[]> {
  const found: string[] = [];
  for (const theme of visit % 2 === 0 ? (["light", "dark"] as const) : (["dark", "light"] as const)) {
    await page.emulateMedia({ colorScheme: theme });
    await expect(page.locator("html")).toHaveClass(new RegExp(`\\b${theme}\\b`));
    found.push(...(await violations(page, RULES[theme])).map((one) => `${theme}: ${one}`));
  }
  return found;
}

test.describe("in both themes", () => {
  test.use({ colorScheme: "light", contextOptions: { reducedMotion: "reduce" } });

  test("no page breaks a rule of accessibility", async ({ page, stack }) => {
    test.setTimeout(600_000);
    await page.goto(`${stack.urls.dashboard}/login`);
    expect(await violationsInBothThemes(page, 0), "/login").toEqual([]);
    await signIn(page, stack);
    const found: Record<string, string[]> = {};
    for (const [at, path] of pages().entries()) {
      await page.goto(`${stack.urls.dashboard}${path}`);
      await settle(page);
      const broken = await violationsInBothThemes(page, at + 1);
      if (broken.length > 0) found[path] = broken;
    }
    expect(found).toEqual({});
  });

  test("nothing that opens over a page breaks a rule of accessibility", async ({ page, stack }) => {
    test.setTimeout(600_000);
    await signIn(page, stack);
    const found: Record<string, string[]> = {};
    for (const [at, [path, open]] of layers().entries()) {
      await page.goto(`${stack.urls.dashboard}${path}`);
      await settle(page);
      await open(page);
      await expect(page.locator("[role=dialog], [role=alertdialog]").last()).toBeVisible();
      const broken = await violationsInBothThemes(page, at);
      if (broken.length > 0) found[`${at} ${path}`] = broken;
    }
    expect(found).toEqual({});
  });
});

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
