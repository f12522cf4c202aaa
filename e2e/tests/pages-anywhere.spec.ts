/** The pages for readers elsewhere, with other colours, and by keyboard alone. Any console error fails a test. */
import { type BusyPool, startBusyPool } from "../support/busy-pool";
import { expect, signIn, test, watchForComplaints } from "../support/fixtures";

let pool: BusyPool;

test.beforeAll(async ({ stack }) => {
  pool = await startBusyPool(stack);
});
test.afterAll(async () => {
  await pool.stop();
});

/** Those that show most times, and the audit last. */
const timely = () => ["/", `/fairshare?pool=${pool.model}`, "/usage", "/audit"];
const everyPage = () => [
  "/fairshare",
  "/fairshare/groups",
  "/boosts",
  "/models",
  `/models/${pool.model}`,
  "/tenants",
  "/keys",
  "/settings",
  ...timely(),
];
const PLACES = [
  { timezoneId: "Asia/Kathmandu", locale: "ar", zone: /Asia\/Kath?mandu/, paths: everyPage },
  { timezoneId: "America/St_Johns", locale: "de", zone: /America\/St_Johns/, paths: timely },
] as const;

for (const { zone, paths, ...place } of PLACES) {
  test.describe(`in ${place.timezoneId}, ${place.locale}`, () => {
    test.use(place);

    test("pages draw once and for all, with times in the reader's zone", async ({ page, stack }) => {
      test.setTimeout(120_000);
      const complaints = watchForComplaints(page);
      await signIn(page, stack);
      for (const path of paths()) {
        await page.goto(`${stack.urls.dashboard}${path}`);
        await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
        await page.waitForLoadState("networkidle");
      }
      await expect(page.getByText(zone).first()).toBeVisible();
      const shown = await page.locator("[data-audit] time, [data-fold] time").first().textContent();
      const { data } = await stack.management.call("listAudit", { query: { limit: 50 } });
      const there = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium", timeZone: place.timezoneId });
      expect(data.items.map((row) => there.format(row.ts_ms))).toContain(shown);
      expect(complaints).toEqual([]);
    });
  });
}

test("in forced colours each state keeps its word and its shape", async ({ adminPage, stack }) => {
  await adminPage.emulateMedia({ forcedColors: "active" });
  await stack.management.call("createModel", { body: { name: "without-servers", max_in_flight: 4 } });
  await adminPage.goto(`${stack.urls.dashboard}/fairshare`);
  await expect(adminPage.locator('[data-row="without-servers"]')).toBeVisible();
  const states = await adminPage.locator("[data-row]").evaluateAll((rows) =>
    rows.map((row) => ({
      word: row.querySelector("[data-field=state]")?.getAttribute("data-value"),
      shape: row.querySelector("svg:not([role])")?.innerHTML,
    })),
  );
  const shapes = new Map(states.map((state) => [state.word, state.shape]));
  expect(shapes.size).toBeGreaterThan(1);
  expect(new Set(shapes.values()).size).toBe(shapes.size);
  await stack.management.call("deleteModel", { params: { id: "without-servers" } });
});

test("by keyboard alone: two group weights are saved together, a boost begins and ends, a pause too", async ({
  adminPage: page,
  stack,
}) => {
  const { data } = await stack.management.call("listGroups", { query: { limit: 50 } });
  const groups = data.items.slice(0, 2);
  const where = () => page.evaluate(() => document.activeElement?.tagName);
  await page.goto(`${stack.urls.dashboard}/fairshare/groups`);
  for (const group of groups) {
    await page.getByLabel(`Weight of ${group.name}`).focus();
    await page.keyboard.press("ArrowUp");
  }
  await page.keyboard.press("Control+Enter");
  const apply = page.getByRole("button", { name: /^Apply/ });
  const weights = async () =>
    (await stack.management.call("listGroups", { query: { limit: 50 } })).data.items.filter((group) =>
      groups.some((before) => before.name === group.name && before.weight !== group.weight),
    ).length;
  await expect(apply.or(page.getByText("No changes"))).toBeVisible();
  if (await apply.isVisible()) await page.keyboard.press("Control+Enter");
  await expect.poll(weights).toBe(2);
  expect(await where()).not.toBe("BODY");
  const weightsBefore = Object.fromEntries(groups.map((group) => [group.name, group.weight]));
  await stack.management.call("setGroupWeights", { body: { weights: weightsBefore } });

  await page.goto(`${stack.urls.dashboard}/boosts?new=true`);
  const dialog = page.getByRole("dialog", { name: "Boost a tenant" });
  await dialog.getByLabel("Tenant").focus();
  await page.keyboard.press("c");
  await dialog.getByLabel("Reason, shown to all").focus();
  await page.keyboard.type("night shift");
  await page.keyboard.press("Tab");
  await dialog.getByRole("button", { name: "Boost", exact: true }).focus();
  await page.keyboard.press("Enter");
  await expect(dialog).toBeHidden();
  await page.getByRole("button", { name: "End now" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("alertdialog").getByRole("button", { name: "End now" }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByText("Nobody is boosted").first()).toBeVisible();
  await expect.poll(where).not.toBe("BODY");

  await page.keyboard.press("p");
  await expect(page.locator("[data-freshness=paused]")).toBeVisible();
  await page.keyboard.press("p");
  await expect(page.locator("[data-freshness=live]")).toBeVisible();
});
