import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "../support/fixtures";
import { startLoad } from "../support/load";

const MODEL_SLOTS = 8;

test("the printed curl line gets an answer", async ({ stack }) => {
  const { stdout } = await promisify(execFile)("sh", ["-c", `${stack.curlLine} --silent --show-error --fail`]);
  expect(JSON.parse(stdout)).toMatchObject({ object: "chat.completion" });
});

test("the printed login opens the Fairshare page", async ({ adminPage, stack }) => {
  await adminPage.goto(`${stack.urls.dashboard}/fairshare`);
  await expect(adminPage.getByRole("heading", { level: 1 })).toBeVisible();
});

test("a pool saturated by weights 500 and 50 shows 7 and 1 of 8 slots held", async ({ adminPage, stack }) => {
  const models = await stack.management.call("listModels", {});
  const model = models.data.items.find((one) => one.max_in_flight === MODEL_SLOTS)?.name ?? "";
  await expect.poll(async () => (await stack.simulator.state()).total.running).toBe(0);
  await stack.simulator.reset();
  const loads = await Promise.all(
    ["chatbot", "api-batch"].map(async (tenant) =>
      startLoad({
        url: stack.urls.proxy,
        secret: await stack.makeKey(tenant),
        model,
        clients: 20,
        marker: tenant,
        answerTokens: 40,
      }),
    ),
  );
  const held = async () => {
    const { data } = await stack.management.call("getFairshareLive", {});
    const pool = data.pools.find((one) => one.model === model);
    const of = (name: string) => pool?.tenants?.find((one) => one.name === name)?.in_flight ?? 0;
    return [of("chatbot"), of("api-batch")];
  };
  const row = (tenant: string) => adminPage.getByRole("row").filter({ hasText: tenant }).first();
  const shown = (tenant: string) => row(tenant).locator('[data-field="in_use"]').getAttribute("data-value");
  try {
    await expect.poll(held, { timeout: 30_000, intervals: [100] }).toEqual([7, 1]);
    await adminPage.goto(`${stack.urls.dashboard}/fairshare`);
    await adminPage.getByRole("link", { name: model }).first().click();
    await expect(adminPage).toHaveURL(/pool=/);
    await expect
      .poll(async () => [await shown("chatbot"), await shown("api-batch")], { timeout: 20_000 })
      .toEqual(["7", "1"]);
    await adminPage.screenshot({ path: "test-results/first-light-drill-down.png", fullPage: true });
    // Before the clients leave: the backend may hear of one that left after it hears of the next one.
    expect((await stack.simulator.state()).models[model]?.high_water).toBe(MODEL_SLOTS);
  } finally {
    await Promise.all(loads.map((load) => load.stop()));
  }
  expect(loads.flatMap((load) => load.errors)).toEqual([]);
});
