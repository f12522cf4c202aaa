import { type BusyPool, startBusyPool } from "../support/busy-pool";
import { expect, test } from "../support/fixtures";

let pool: BusyPool;

test.beforeAll(async ({ stack }) => {
  pool = await startBusyPool(stack);
});
test.afterAll(async () => {
  await pool.stop();
});

test("the overview names the full pool first and leads to it; a snoozed item comes back", async ({
  adminPage,
  stack,
}) => {
  await adminPage.goto(`${stack.urls.dashboard}/`);
  const item = adminPage.locator("[data-attention=full_waiting]").filter({ hasText: pool.model });
  await expect(item).toContainText(/Full, \d+ waiting/);
  await expect(adminPage.locator("[data-attention]").first()).toHaveAttribute("data-attention", "full_waiting");
  const { data } = await stack.management.call("getOverview", {});
  await expect(adminPage.locator('[data-field="max_in_flight"]').first()).toHaveAttribute(
    "data-value",
    String(data.max_in_flight),
  );
  await item.getByRole("button", { name: /^Snooze/ }).click();
  await adminPage.getByRole("button", { name: "1 hour" }).click();
  await expect(item).toBeHidden();
  await adminPage.getByRole("button", { name: /hidden, show/ }).click();
  await item.getByRole("link", { name: "Open pool" }).click();
  await expect(adminPage).toHaveURL(new RegExp(`pool=${pool.model}`));
});

test("a boost about to end is told with its time left, and a model without servers once somebody was refused", async ({
  adminPage: page,
  stack,
}) => {
  const { management } = stack;
  const tenants = await management.call("listTenants", { query: { limit: 200 } });
  const tenant_id = tenants.data.items.find((tenant) => tenant.name === "chatbot")?.id ?? "";
  const expires_at = new Date(Date.now() + 5 * 60_000).toISOString();
  const boost = await management.call("createBoost", {
    body: { tenant_id, model: pool.model, factor: 2, reason: "soon over", expires_at },
  });
  await management.call("createModel", { body: { name: "unserved", max_in_flight: 4 } });
  await page.goto(`${stack.urls.dashboard}/`);
  await expect(page.locator("[data-attention=boost_ending]")).toContainText(/chatbot.*in \d min/);
  await expect(page.getByTestId("watching")).toContainText("unserved has no servers (no API base)");
  await expect(page.locator("[data-attention=no_servers]")).toHaveCount(0);

  const secret = await stack.makeKey("chatbot");
  const refused = await fetch(`${stack.urls.proxy}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "unserved", messages: [{ role: "user", content: "Hello" }] }),
  });
  expect(refused.status).toBe(503);
  await expect(page.locator("[data-attention=no_servers]")).toContainText("1 request refused in the last hour", {
    timeout: 30_000,
  });
  await management.call("endBoost", { params: { id: boost.data.id } });
  await management.call("deleteModel", { params: { id: "unserved" } });
  // Each goes from the open page once its cause has gone.
  await expect(page.locator("[data-attention=boost_ending]")).toHaveCount(0, { timeout: 30_000 });
  await expect(page.locator("[data-attention=no_servers]")).toHaveCount(0, { timeout: 30_000 });
});

test("a pool's size is previewed, changed, and undone from the audit", async ({ adminPage, stack }) => {
  await adminPage.goto(`${stack.urls.dashboard}/models/${pool.model}?tab=capacity`);
  await adminPage.getByLabel("Max in flight").fill("12");
  await expect(adminPage.locator(`[data-preview="${pool.model}"]`)).toContainText("grows by 4 slots");
  await adminPage.getByRole("region", { name: "Pool size" }).getByRole("button", { name: "Save" }).click();
  const apply = adminPage.getByRole("button", { name: /^Apply/ });
  if (await apply.isVisible()) await apply.click();
  const live = async () => {
    const { data } = await stack.management.call("getFairshareLive", { query: { pool: pool.model } });
    return data.pools[0];
  };
  const cap = async () => (await live())?.cap;
  await expect.poll(cap).toBe(12);
  await adminPage.goto(`${stack.urls.dashboard}/audit?kind=model`);
  await adminPage.getByRole("button", { name: "Revert" }).first().click();
  await expect.poll(cap).toBe(8);
  await expect.poll(async () => (await live())?.in_flight).toBe(8);

  const writes: string[] = [];
  adminPage.on("request", (request) => {
    if (!["GET", "HEAD"].includes(request.method()) && !request.url().endsWith("/preview")) writes.push(request.url());
  });
  await adminPage.goto(`${stack.urls.dashboard}/models/${pool.model}?tab=capacity`);
  await adminPage.getByLabel("Max in flight").fill("4");
  await adminPage.getByRole("region", { name: "Pool size" }).getByRole("button", { name: "Save" }).click();
  const alert = adminPage.getByRole("alertdialog", { name: `Give ${pool.model} 4 slots?` });
  await expect(alert).toContainText("It uses 8 slots now.");
  await expect(alert.getByRole("button", { name: "Cancel" })).toBeFocused();
  await adminPage.keyboard.press("Enter");
  await expect(alert).toBeHidden();
  await adminPage.waitForRequest(/fairshare\/live/);
  expect(writes).toEqual([]);
  expect(await cap()).toBe(8);
});

test("session affinity out of range is refused with the range, and {} follows the gateway", async ({
  adminPage,
  stack,
}) => {
  await adminPage.goto(`${stack.urls.dashboard}/models/${pool.model}?tab=capacity`);
  const panel = adminPage.getByRole("region", { name: /^Session affinity/ });
  await panel.getByLabel("Held percent").fill("101");
  await expect(panel).toContainText("from 0 to 100");
  await panel.getByLabel("Held percent").fill("50");
  await expect(panel.getByTestId("held-limit")).toContainText("At most 4 of 8");
  await panel.getByRole("button", { name: "On", exact: true }).click();
  await panel.getByRole("button", { name: "Save" }).click();
  const affinity = async () =>
    (await stack.management.call("getModel", { params: { id: pool.model } })).data.session_affinity;
  await expect.poll(affinity).toEqual({ enabled: true, max_held_percent: 50 });
  await expect(panel.getByRole("button", { name: "Save", exact: true })).toBeDisabled();
  await panel.getByRole("button", { name: /^Follow/ }).click();
  await panel.getByLabel("Held percent").fill("");
  await panel.getByRole("button", { name: "Save" }).click();
  await expect.poll(affinity).toEqual({});
});

test("the last admin can be neither removed nor demoted", async ({ adminPage, stack }) => {
  await adminPage.goto(`${stack.urls.dashboard}/settings?tab=people`);
  const row = adminPage.locator(`[data-user="${stack.login.email}"]`);
  await expect(row.getByRole("combobox")).toBeDisabled();
  await expect(row.getByRole("button", { name: "Remove" })).toBeDisabled();
});

test("someone added sets a password by the link and may only look", async ({ adminPage, stack, browser }) => {
  await adminPage.goto(`${stack.urls.dashboard}/settings?tab=people`);
  await adminPage.getByRole("button", { name: "Add a person" }).click();
  await adminPage.getByRole("dialog").getByLabel("Email").fill("viewer@example.com");
  await adminPage.getByRole("button", { name: "Add and make the link" }).click();
  await adminPage.getByRole("button", { name: "Make the link" }).click();
  const link = await adminPage.getByRole("textbox", { name: "Reset link" }).inputValue();
  await adminPage.getByRole("button", { name: "I have passed it on" }).click();
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(link);
  await page.getByLabel("New password").fill("a password of my own");
  await page.getByRole("button", { name: "Set the password" }).click();
  await page.getByLabel("Email").fill("viewer@example.com");
  await page.getByLabel("Password").fill("a password of my own");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  await page.goto(`${stack.urls.dashboard}/fairshare/groups`);
  await expect(page.getByRole("textbox", { name: /^Weight of/ }).first()).toBeDisabled();
  await expect(page.getByText("Needs the admin role").first()).toBeVisible();
  await context.close();
});

test("preferences hold before the first paint", async ({ adminPage, stack }) => {
  await adminPage.goto(`${stack.urls.dashboard}/settings?tab=appearance`);
  for (const name of ["Compact", "Dark"]) {
    const choice = adminPage.getByRole("button", { name, exact: true });
    await choice.click();
    await expect(choice).toHaveAttribute("aria-pressed", "true");
  }
  await adminPage.goto(`${stack.urls.dashboard}/fairshare`, { waitUntil: "commit" });
  await adminPage.waitForFunction(() => document.body !== null);
  expect(await adminPage.evaluate(() => document.documentElement.dataset.density)).toBe("compact");
  expect(await adminPage.evaluate(() => document.documentElement.classList.contains("dark"))).toBe(true);
});

test("usage rows sum to the total, and the page shows that total", async ({ adminPage, stack }) => {
  await pool.stop();
  const summary = async () => (await stack.management.call("getUsageSummary", { query: { by: "tenant" } })).data;
  const sums = async () => {
    const { rows, total } = await summary();
    return total.requests > 0 && rows.reduce((sum, row) => sum + row.requests, 0) === total.requests;
  };
  await expect.poll(sums, { timeout: 20_000 }).toBe(true);
  await adminPage.goto(`${stack.urls.dashboard}/usage?by=tenant`);
  const fast = adminPage.locator('dd [data-field="fast"]');
  // The page reads once in 30 seconds; what was under way when it was opened is in the next reading.
  await expect
    .poll(async () => (await fast.getAttribute("data-value")) === String((await summary()).total.fast), {
      timeout: 45_000,
    })
    .toBe(true);
});
