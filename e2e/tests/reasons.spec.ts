/** Each cause of a wait that one gateway can have is made on a real one, and the page says it in the engine's words. */
import type { Page } from "@playwright/test";
import { type BusyPool, startBusyPool } from "../support/busy-pool";
import { expect, test } from "../support/fixtures";
import type { Stack } from "../support/stack";

let pool: BusyPool;

test.beforeAll(async ({ stack }) => {
  pool = await startBusyPool(stack);
});
test.afterAll(async () => {
  await pool.stop();
});

async function tenantId(stack: Stack, name: string): Promise<string> {
  const { data } = await stack.management.call("listTenants", { query: { limit: 200 } });
  return data.items.find((tenant) => tenant.name === name)?.id ?? "";
}

/** Opens the pool until the explanation of the tenant's wait gives one of the reasons. @returns its sentence. */
async function sentenceOf(page: Page, tenant: string, reasons: readonly string[]): Promise<string> {
  const why = page.locator("[data-reason]");
  await expect(async () => {
    await page.keyboard.press("Escape");
    await page.locator(`[data-tenant="${tenant}"]`).getByRole("button", { name: /^Why/ }).click();
    await expect(why).toBeVisible({ timeout: 2000 });
    expect(reasons).toContain(await why.getAttribute("data-reason"));
  }).toPass({ timeout: 20_000 });
  return (await why.textContent()) ?? "";
}

test("a full pool, a tenant's cap, a key's cap, the ceiling and missing servers each say what holds a wait", async ({
  adminPage: page,
  stack,
}) => {
  test.setTimeout(120_000);
  const { management } = stack;
  await page.goto(`${stack.urls.dashboard}/fairshare?pool=${pool.model}`);
  expect(await sentenceOf(page, "api-batch", ["pool_full", "next_in_line"])).toMatch(
    /has its share of|is first in line on/,
  );

  const chatbot = await tenantId(stack, "chatbot");
  const cap = { params: { id: chatbot, model: pool.model } };
  await management.call("setModelCap", { ...cap, body: { max_in_flight: 2 } });
  expect(await sentenceOf(page, "chatbot", ["tenant_cap"])).toMatch(/its cap on \S+ allows|slots its cap on/);
  await management.call("deleteModelCap", cap);

  const keys = await management.call("listKeys", { query: { limit: 200 } });
  const own = keys.data.items.filter((key) => key.tenant_id === chatbot);
  for (const key of own) await management.call("updateKey", { params: { id: key.id }, body: { max_in_flight: 1 } });
  expect(await sentenceOf(page, "chatbot", ["key_cap"])).toContain("is at its cap of 1");
  for (const key of own) await management.call("updateKey", { params: { id: key.id }, body: { max_in_flight: null } });

  await management.call("setCapacity", { body: { global_max_in_flight: 4 } });
  expect(await sentenceOf(page, "chatbot", ["global_ceiling"])).toContain("slots the ceiling allows");
  await management.call("setCapacity", { body: { global_max_in_flight: null } });

  const model = await management.call("getModel", { params: { id: pool.model } });
  const [endpoint] = model.data.endpoints;
  const at = { params: { id: pool.model, eid: endpoint?.id ?? "" } };
  await management.call("updateEndpoint", { ...at, body: { enabled: false } });
  await expect(page.getByText("No servers").first()).toBeVisible({ timeout: 15_000 });
  await management.call("updateEndpoint", { ...at, body: { enabled: true } });
});
