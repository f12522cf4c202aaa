import type { Page, Route } from "@playwright/test";
import { type BusyPool, startBusyPool } from "../support/busy-pool";
import { expect, signIn, test } from "../support/fixtures";
import { type Stack, tenantNamed } from "../support/stack";

let pool: BusyPool;

test.beforeAll(async ({ stack }) => {
  pool = await startBusyPool(stack);
});
test.afterAll(async () => {
  await pool.stop();
});

async function openPanel(page: Page, stack: Stack, name: string) {
  const tenant = await tenantNamed(stack, name);
  await page.goto(`${stack.urls.dashboard}/fairshare?pool=${pool.model}&tenant=${tenant.id}`);
  await expect(page.getByRole("dialog", { name })).toBeVisible();
  return tenant;
}

/** A second tenant in the group of `chatbot`, so that a tenant's weight decides something. */
async function addPeer(stack: Stack, name: string): Promise<void> {
  const chatbot = await tenantNamed(stack, "chatbot");
  await stack.management.call("createTenant", { body: { name, group: chatbot.group, weight: 500 } });
}

test("a weight is previewed in slots, saved, undone, and all of it is audited", async ({ adminPage, stack }) => {
  const before = await openPanel(adminPage, stack, "chatbot");
  await expect(adminPage.getByRole("dialog").getByRole("heading", { name: "chatbot" })).toBeFocused();
  await adminPage.getByLabel("Weight").fill("750");
  await expect(adminPage.getByTestId("preview-headline")).toContainText("No slot moves");
  await expect(adminPage.locator("[data-preview]").first()).toContainText("alone in group");
  await adminPage.getByRole("button", { name: "Save" }).click();
  await expect(adminPage.getByText(`chatbot: weight ${before.weight} to 750`).first()).toBeVisible();
  await expect.poll(async () => (await tenantNamed(stack, "chatbot")).weight).toBe(750);
  await expect(adminPage.getByTestId("last-change")).toContainText(/Last change: you.* 750/);
  await adminPage.getByTestId("last-change").getByRole("button", { name: "Revert" }).click();
  await expect.poll(async () => (await tenantNamed(stack, "chatbot")).weight).toBe(before.weight);
  const { data } = await stack.management.call("listAudit", { query: { object: before.id, limit: 5 } });
  expect(data.items[0]?.reverts).toBe(data.items[1]?.id);
  expect(data.items[1]).toMatchObject({ actor: stack.login.email, source: "dashboard" });
});

test("a cap on this model changes this model only, and its removal brings the tenant's back", async ({
  adminPage,
  stack,
}) => {
  const tenant = await openPanel(adminPage, stack, "chatbot");
  await adminPage.getByLabel(`Slots on ${pool.model}`).fill("5");
  await expect(adminPage.locator("[data-preview]").first()).toContainText("share");
  await adminPage.getByRole("button", { name: "Save" }).click();
  const apply = adminPage.getByRole("button", { name: /^Apply/ });
  if (await apply.isVisible()) await apply.click();
  const caps = async () => (await stack.management.call("getTenant", { params: { id: tenant.id } })).data;
  await expect.poll(async () => (await caps()).model_caps).toEqual([{ model: pool.model, max_in_flight: 5 }]);
  expect((await caps()).max_in_flight).toBe(tenant.max_in_flight);
  await expect
    .poll(async () => {
      const { data } = await stack.management.call("getFairshareLive", { query: { pool: pool.model } });
      return data.pools[0]?.tenants?.find((one) => one.name === "chatbot")?.in_flight;
    })
    .toBe(5);
  await expect(adminPage.getByRole("button", { name: "Save", exact: true })).toBeDisabled();
  await adminPage.getByLabel(/^As the tenant/).check();
  await adminPage.getByRole("button", { name: "Save" }).click();
  if (await apply.isVisible()) await apply.click();
  await expect.poll(async () => (await caps()).model_caps).toEqual([]);
});

test("somebody else's change in between is shown, and either version can be kept", async ({ page, stack }) => {
  await signIn(page, stack);
  const tenant = await openPanel(page, stack, "chatbot");
  const change = (weight: number) =>
    stack.management.call("setTenantWeight", { params: { id: tenant.id }, body: { weight } });
  await page.getByLabel("Weight").fill("640");
  await change(710);
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("while you were editing")).toBeVisible();
  await page.getByRole("button", { name: "Keep theirs" }).click();
  await expect(page.getByLabel("Weight")).toHaveValue("710");
  await page.getByLabel("Weight").fill("640");
  await change(711);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Apply mine over it" }).click();
  await expect.poll(async () => (await tenantNamed(stack, "chatbot")).weight).toBe(640);
  await change(tenant.weight);
});

test("a group that somebody else changed meanwhile is asked about, and what is drafted for others stays", async ({
  page,
  stack,
}) => {
  await signIn(page, stack);
  const [chatbot, batch] = [(await tenantNamed(stack, "chatbot")).group, (await tenantNamed(stack, "api-batch")).group];
  const set = (weights: Record<string, number>) => stack.management.call("setGroupWeights", { body: { weights } });
  const weightOf = async (name: string) => (await stack.management.call("getGroup", { params: { name } })).data.weight;
  const before = { [chatbot]: await weightOf(chatbot), [batch]: await weightOf(batch) };
  const field = (name: string) => page.getByLabel(`Weight of ${name}`);
  await page.goto(`${stack.urls.dashboard}/fairshare/groups`);
  await field(chatbot).fill("501");
  await field(batch).fill("51");
  await set({ [batch]: 52 });
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("while you were editing")).toHaveCount(1);
  await page.getByRole("button", { name: "Keep theirs" }).click();
  await expect(field(batch)).toHaveValue("52");
  await expect(field(chatbot)).toHaveValue("501");
  expect(await weightOf(chatbot)).toBe(before[chatbot]);

  await field(batch).fill("53");
  await set({ [batch]: 54 });
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Apply mine over it" }).click();
  await expect.poll(async () => [await weightOf(chatbot), await weightOf(batch)]).toEqual([501, 53]);
  await set(before);
});

test("a save that fails leaves the draft, and what is saved is put back from the toast", async ({ page, stack }) => {
  await signIn(page, stack);
  const { weight } = await openPanel(page, stack, "chatbot");
  const now = async () => (await tenantNamed(stack, "chatbot")).weight;
  const writes = /\/api\/v1\/tenants\/[^/]+\/weight$/;
  await page.route(writes, (route) => route.abort());
  await page.getByLabel("Weight").fill("660");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Not saved.")).toBeVisible();
  await expect(page.getByLabel("Weight")).toHaveValue("660");
  expect(await now()).toBe(weight);
  await page.unroute(writes);
  await page.getByRole("button", { name: "Save" }).click();
  await expect.poll(now).toBe(660);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(now).toBe(weight);
  await expect(page.getByText("Put back")).toBeVisible();
});

test("a draft survives a reload, and closing with one asks once", async ({ adminPage, stack }) => {
  await openPanel(adminPage, stack, "chatbot");
  await adminPage.getByLabel("Weight").fill("123");
  await adminPage.reload();
  await expect(adminPage.getByLabel("Weight")).toHaveValue("123");
  await adminPage.keyboard.press("Escape");
  await expect(adminPage.getByRole("alertdialog")).toContainText("Leave the draft");
  await adminPage.getByRole("button", { name: "Go on editing" }).click();
  await adminPage.getByRole("button", { name: "Discard" }).click();
  await adminPage.keyboard.press("Escape");
  await expect(adminPage.getByRole("dialog")).toBeHidden();
  await expect(adminPage).not.toHaveURL(/tenant=/);
});

test("what the preview says is what the settled pool shows", async ({ adminPage, stack }) => {
  await adminPage.goto(`${stack.urls.dashboard}/fairshare/groups`);
  const groupOf = async (name: string) => (await tenantNamed(stack, name)).group;
  const [chatbot, batch] = [await groupOf("chatbot"), await groupOf("api-batch")];
  await adminPage.getByLabel(`Weight of ${batch}`).fill("500");
  const preview = adminPage.locator(`[data-preview="${pool.model}"]`);
  const after = (group: string) =>
    preview.locator(`[data-part="${group}"] [data-field="slots_after"]`).getAttribute("data-value");
  await expect.poll(() => after(batch)).toBe("4");
  expect(await after(chatbot)).toBe("4");
  await adminPage.getByRole("button", { name: "Save" }).click();
  await adminPage.getByRole("button", { name: /^Apply/ }).click();
  await expect
    .poll(
      async () => {
        const { data } = await stack.management.call("getFairshareLive", { query: { pool: pool.model } });
        return data.pools[0]?.groups.map((group) => [group.name, group.in_flight]).sort();
      },
      { timeout: 20_000 },
    )
    .toEqual([
      [batch, 4],
      [chatbot, 4],
    ]);
  await stack.management.call("setGroupWeights", { body: { weights: { [batch]: 50 } } });
});

/** Weights that a reader might type, the same ones in every run. */
function* typedWeights(): Generator<number> {
  for (let seed = 20261130; ; seed = (seed * 48_271) % 2_147_483_647) yield 1 + (seed % 900);
}

test("after each of 20 edits the pool settles within one slot of what the page previewed", async ({
  adminPage,
  stack,
}) => {
  test.setTimeout(300_000);
  const { management } = stack;
  const [chatbot, batch] = await Promise.all(["chatbot", "api-batch"].map((name) => tenantNamed(stack, name)));
  const groups = [chatbot?.group ?? "", batch?.group ?? ""];
  const before = await management.call("listGroups", { query: { limit: 50 } });
  const weights = typedWeights();
  const running = async () => {
    const { data } = await management.call("getFairshareLive", { query: { pool: pool.model } });
    return groups.map((name) => data.pools[0]?.groups.find((group) => group.name === name)?.in_flight ?? 0);
  };
  const saved = async () => {
    const { data } = await management.call("listGroups", { query: { limit: 50 } });
    return groups.map((name) => String(data.items.find((group) => group.name === name)?.weight));
  };
  await adminPage.goto(`${stack.urls.dashboard}/fairshare/groups`);
  const slots = (name: string) =>
    adminPage
      .locator(`[data-preview="${pool.model}"]`)
      .getByRole("img", { name: new RegExp(`${pool.model} after: .*${name} \\d`) })
      .getAttribute("aria-label");
  for (let edit = 0; edit < 20; edit += 1) {
    const drawn = groups.map(() => String(weights.next().value));
    for (const [at, name] of groups.entries()) await adminPage.getByLabel(`Weight of ${name}`).fill(drawn[at] ?? "");
    const label = (await slots(groups[0] ?? "")) ?? "";
    const promised = groups.map((name) => Number(new RegExp(`[ ,:]${name} (\\d+)`).exec(label)?.[1]));
    expect(promised[0]).toBeGreaterThan(0);
    await adminPage.keyboard.press("Control+Enter");
    const apply = adminPage.getByRole("button", { name: /^Apply/ });
    await expect(apply.or(adminPage.getByText("No changes"))).toBeVisible();
    if (await apply.isVisible()) await apply.click();
    await expect.poll(saved).toEqual(drawn);
    await expect
      .poll(async () => (await running()).every((slots, at) => Math.abs(slots - (promised[at] ?? 0)) <= 1), {
        message: `${drawn.join(" and ")} promised ${promised.join(" and ")}`,
        timeout: 20_000,
      })
      .toBe(true);
  }
  const restored = before.data.items.filter((group) => groups.includes(group.name));
  await management.call("setGroupWeights", {
    body: { weights: Object.fromEntries(restored.map((group) => [group.name, group.weight])) },
  });
});

test("a save asked for by its keys while another is under way follows it", async ({ page, stack }) => {
  await signIn(page, stack);
  const { management } = stack;
  const name = "edited-twice";
  await management.call("createGroup", { body: { name, weight: 100 } });
  await page.goto(`${stack.urls.dashboard}/fairshare/groups`);
  const held: Route[] = [];
  await page.route(/\/fairshare\/groups\/weights/, (route) => void held.push(route), { times: 1 });
  const field = page.getByLabel(`Weight of ${name}`);
  await field.fill("101");
  await field.press("Control+Enter");
  await expect(page.getByRole("button", { name: "Saving" })).toBeVisible();
  await field.fill("102");
  await field.press("Control+Enter");
  await expect.poll(() => held.length).toBe(1);
  await held[0]?.continue();
  await expect.poll(async () => (await management.call("getGroup", { params: { name } })).data.weight).toBe(102);
});

test("a link with weights restores the draft and saves nothing", async ({ adminPage, stack }) => {
  const group = (await tenantNamed(stack, "api-batch")).group;
  await adminPage.goto(
    `${stack.urls.dashboard}/fairshare/groups?w=${encodeURIComponent(`${group}:777`)}&steps=true&size=20`,
  );
  await expect(adminPage.getByLabel(`Weight of ${group}`)).toHaveValue("777");
  await expect(adminPage.getByTestId("draft-summary")).toContainText("1 change");
  await expect(adminPage.getByRole("table", { name: "Rounding" })).toBeVisible();
  const { data } = await stack.management.call("getGroup", { params: { name: group } });
  expect(data.weight).not.toBe(777);
  await adminPage.getByLabel(`Weight of ${group}`).fill("0");
  await expect(adminPage.getByText("whole number from 1")).toBeVisible();
  await expect(adminPage.getByRole("button", { name: "Save" })).toBeDisabled();
});

test("a boost shows wherever its tenant does, and ends when told to", async ({ adminPage, stack }) => {
  await addPeer(stack, "chatbot-peer");
  const tenant = await tenantNamed(stack, "chatbot");
  await adminPage.goto(`${stack.urls.dashboard}/boosts?new=true&tenant=${tenant.id}&model=${pool.model}`);
  const dialog = adminPage.getByRole("dialog", { name: "Boost a tenant" });
  await expect(dialog.getByRole("button", { name: "Boost" })).toBeDisabled();
  await dialog.getByLabel("Reason, shown to all").fill("incident 42");
  await dialog.getByRole("button", { name: "Boost" }).click();
  await expect(dialog).toBeHidden();
  await expect(adminPage.locator("[data-boosts='1']")).toContainText("Boosts 1");
  await adminPage.goto(`${stack.urls.dashboard}/fairshare?pool=${pool.model}`);
  await expect(adminPage.locator('[data-tenant="chatbot"] [data-boost]')).toContainText("x3");
  await adminPage.goto(`${stack.urls.dashboard}/tenants`);
  await expect(adminPage.locator(`[data-row="${tenant.id}"] [data-boost]`)).toBeVisible();
  await adminPage.goto(`${stack.urls.dashboard}/tenants/${tenant.id}`);
  await expect(adminPage.locator("#content [data-boost]").first()).toContainText("x3");
  await openPanel(adminPage, stack, "chatbot");
  await expect(adminPage.getByRole("dialog").locator("[data-boost]")).toContainText("x3");
  await adminPage.goto(`${stack.urls.dashboard}/boosts`);
  await adminPage.getByRole("button", { name: "End now" }).click();
  await adminPage.getByRole("alertdialog").getByRole("button", { name: "End now" }).click();
  await expect(adminPage.getByText("Nobody is boosted").first()).toBeVisible();
});
