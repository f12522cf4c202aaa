/** The pages for readers elsewhere and with other colours. Any console error fails a test. */
import { type BusyPool, startBusyPool } from "../support/busy-pool";
import { expect, signIn, test, watchForComplaints } from "../support/fixtures";
import { pagesOf } from "../support/pages";
import { tenantNamed } from "../support/stack";

let pool: BusyPool;
let tenantId = "";

test.beforeAll(async ({ stack }) => {
  pool = await startBusyPool(stack);
  tenantId = (await tenantNamed(stack, "chatbot")).id;
});
test.afterAll(async () => {
  await pool.stop();
});

/** Those that show most times, and the audit last. */
const timely = () => ["/", `/fairshare?pool=${pool.model}`, "/usage", "/audit"];
const everyPage = () => [...pagesOf({ model: pool.model, tenantId }), ...timely()];
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
