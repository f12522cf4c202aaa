/** Two who change the same thing at once: neither takes back, unseen, what the other one did. */
import { expect, signIn, test } from "../support/fixtures";
import { tenantNamed } from "../support/stack";

test("an endpoint's dialog saves what was touched, and leaves what a colleague changed meanwhile", async ({
  adminPage: page,
  stack,
}) => {
  const { management } = stack;
  const api_base = `${stack.simulator.url}/v1`;
  const { data: model } = await management.call("createModel", { body: { name: "shared-by-two", api_base } });
  const params = { id: model.id, eid: model.endpoints[0]?.id ?? "" };
  const endpoint = async () => (await management.call("getModel", { params: { id: model.id } })).data.endpoints[0];
  await page.goto(`${stack.urls.dashboard}/models/shared-by-two?tab=endpoints`);
  await page.getByRole("button", { name: "Edit" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Own cap").fill("ten");
  await expect(dialog.getByText("whole number from 1")).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Save" })).toBeDisabled();
  await dialog.getByLabel("Own cap").fill("1,024");
  await management.call("updateEndpoint", { params, body: { weight: 9, upstream_model: "theirs" } });
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toBeHidden();
  expect(await endpoint()).toMatchObject({ weight: 9, upstream_model: "theirs", max_in_flight: 1024, api_base });
  await management.call("deleteModel", { params: { id: model.id } });
});

test("a group's dialog saves its colour or its name, and leaves what a colleague changed meanwhile", async ({
  adminPage: page,
  stack,
}) => {
  const { management } = stack;
  const { data: begun } = await management.call("createGroup", { body: { name: "edited-by-two", weight: 10 } });
  const open = async () => {
    await page.getByRole("button", { name: "More for edited-by-two" }).click();
    await page.getByRole("button", { name: "Name and colour" }).click();
    return page.getByRole("dialog", { name: "Group edited-by-two" });
  };
  const change = (body: { weight?: number; color?: number }) =>
    management.call("updateGroup", { params: { name: "edited-by-two" }, body });
  await page.goto(`${stack.urls.dashboard}/fairshare/groups`);
  const colours = await open();
  await colours.getByText("Wine").click();
  await change({ weight: 33 });
  await colours.getByRole("button", { name: "Save" }).click();
  await expect(colours).toBeHidden();
  const group = async (name: string) => (await management.call("getGroup", { params: { name } })).data;
  expect(await group("edited-by-two")).toMatchObject({ weight: 33, color: 5 });

  const names = await open();
  await names.getByLabel("Name").fill("renamed-by-two");
  await change({ color: begun.color });
  await names.getByRole("button", { name: "Save" }).click();
  await expect(names).toBeHidden();
  expect(await group("renamed-by-two")).toMatchObject({ weight: 33, color: begun.color });
  await management.call("deleteGroup", { params: { name: "renamed-by-two" } });
});

test("a ceiling that a colleague changed meanwhile is asked about, and either can be kept", async ({ page, stack }) => {
  await signIn(page, stack);
  const set = (global_max_in_flight: number | null) =>
    stack.management.call("setCapacity", { body: { global_max_in_flight } });
  const now = async () => (await stack.management.call("getCapacity", {})).data.global_max_in_flight;
  await page.goto(`${stack.urls.dashboard}/settings?tab=cluster`);
  const panel = page.getByRole("region", { name: "Ceiling" });
  const field = panel.getByLabel("Ceiling");
  await field.fill("5,001");
  await set(6001);
  await panel.getByRole("button", { name: "Save" }).click();
  await expect(panel.getByText("while you were editing")).toBeVisible();
  expect(await now()).toBe(6001);
  await panel.getByRole("button", { name: "Keep theirs" }).click();
  await expect(field).toHaveValue("6001");
  await field.fill("5002");
  await page.reload();
  await expect(field).toHaveValue("5002");
  await set(6002);
  await panel.getByRole("button", { name: "Save" }).click();
  await panel.getByRole("button", { name: "Apply mine over it" }).click();
  await expect.poll(now).toBe(5002);
  await expect(panel.getByText("while you were editing")).toHaveCount(0);
  await set(null);
});

test("a switch says why it did not switch, and works once it can", async ({ page, stack }) => {
  await signIn(page, stack);
  const { management } = stack;
  const tenant = await tenantNamed(stack, "api-batch");
  await management.call("createModel", { body: { name: "switched", enabled: false } });
  await management.call("updateTenant", { params: { id: tenant.id }, body: { status: "suspended" } });
  for (const { path, control, write } of [
    { path: "/models/switched", control: page.getByRole("switch"), write: /\/api\/v1\/models\/[^/]+$/ },
    {
      path: `/tenants/${tenant.id}?tab=limits`,
      control: page.getByRole("button", { name: "Let it send again" }),
      write: /\/api\/v1\/tenants\/[^/]+$/,
    },
  ]) {
    await page.goto(`${stack.urls.dashboard}${path}`);
    await page.route(write, (route) => (route.request().method() === "GET" ? route.continue() : route.abort()));
    await control.click();
    await expect(page.getByText(/^Not changed\./)).toBeVisible();
    await page.unroute(write);
    await control.click();
    await expect(page.getByText(/^(switched is on|api-batch is active)$/)).toBeVisible();
  }
  expect((await tenantNamed(stack, "api-batch")).status).toBe("active");
  await management.call("deleteModel", { params: { id: "switched" } });
});
