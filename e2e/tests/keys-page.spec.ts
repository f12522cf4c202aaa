import { expect, signIn, test } from "../support/fixtures";
import { tenantNamed } from "../support/stack";
import { standingRequests } from "../support/standing-requests";

test("a secret is shown once and is nowhere after its dialog closes", async ({ adminPage, stack }) => {
  const tenant = await tenantNamed(stack, "chatbot");
  await adminPage.goto(`${stack.urls.dashboard}/tenants/${tenant.id}?tab=keys`);
  await adminPage.getByRole("button", { name: "Make a key" }).click();
  await adminPage.getByRole("dialog").getByLabel("Name").fill("mobile");
  await adminPage.getByRole("button", { name: "Make the key" }).click();
  const secret = await adminPage.getByRole("textbox", { name: "Secret" }).inputValue();
  expect(secret.length).toBeGreaterThan(20);
  await adminPage.keyboard.press("Escape");
  await expect(adminPage.getByRole("textbox", { name: "Secret" })).toBeVisible();
  const models = (token: string) =>
    fetch(`${stack.urls.proxy}/v1/models`, { headers: { authorization: `Bearer ${token}` } });
  expect((await models(secret)).status).toBe(200);
  await adminPage.getByRole("button", { name: "I have stored it" }).click();
  await expect(adminPage.getByRole("link", { name: "mobile" })).toBeVisible();
  const traces = await adminPage.evaluate(() => ({
    dom: document.documentElement.outerHTML,
    storage: JSON.stringify({ ...localStorage, ...sessionStorage }),
    url: location.href,
  }));
  expect(JSON.stringify(traces)).not.toContain(secret);
  for (const log of ["gateway", "dashboard"]) expect(stack.logOf(log)).not.toContain(secret);

  await adminPage.getByRole("link", { name: "mobile" }).click();
  await adminPage.getByRole("button", { name: "Rotate the secret" }).click();
  await adminPage.getByLabel(/^How long/).selectOption("3600");
  await adminPage.getByRole("button", { name: "Rotate", exact: true }).click();
  const second = await adminPage.getByRole("textbox", { name: "Secret" }).inputValue();
  expect(second).not.toBe(secret);
  await adminPage.getByRole("button", { name: "I have stored it" }).click();
  await expect.poll(async () => (await models(second)).status).toBe(200);
  expect((await models(secret)).status).toBe(200);
  await adminPage.getByRole("button", { name: "End now" }).click();
  await expect.poll(async () => (await models(secret)).status).toBe(401);

  await adminPage.getByRole("button", { name: "Revoke" }).click();
  const revoked = adminPage.waitForResponse((response) => response.request().method() === "DELETE");
  await adminPage.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click();
  expect((await revoked).ok()).toBe(true);
  await expect.poll(async () => (await models(second)).status, { timeout: 3000 }).toBe(401);
});

test("a save over somebody else's change changes what was typed and puts back nothing else", async ({
  page,
  stack,
}) => {
  const { management } = stack;
  const { id } = await tenantNamed(stack, "chatbot");
  const { key } = (await management.call("createKey", { params: { id }, body: { name: "shared" } })).data;
  const now = async () => (await management.call("getKey", { params: { id: key.id } })).data;
  await signIn(page, stack);
  await page.goto(`${stack.urls.dashboard}/keys?key=${key.id}`);
  const panel = page.getByRole("dialog", { name: "shared" });
  await panel.getByLabel("Cap").fill("5");
  await management.call("updateKey", { params: { id: key.id }, body: { weight: 300 } });
  await panel.getByRole("button", { name: "Save" }).click();
  await expect(panel.getByText("while you were editing")).toBeVisible();
  expect(await now()).toMatchObject({ weight: 300, max_in_flight: null });
  await panel.getByRole("button", { name: "Apply mine over it" }).click();
  await expect.poll(now).toMatchObject({ weight: 300, max_in_flight: 5 });
  await expect(panel.getByLabel("Weight")).toHaveValue("300");
});

/** Names that are code to a page, a sheet, a script or a map, and one that turns the line around. */
const ODD_NAMES = [
  '<img src=x onerror="window.hit=1">',
  '"><svg/onload=window.hit=1>',
  "javascript:window.hit=1",
  "=HYPERLINK(1)",
  "+1",
  "@x",
  "__proto__",
  "constructor",
  "toString",
  "-1",
  "‮evil",
];

test("names that look like code are shown as text everywhere, in lists, titles and panels", async ({
  adminPage: page,
  stack,
}) => {
  const { management } = stack;
  const api_base = `${stack.simulator.url}/v1`;
  let keyId = "";
  for (const name of ODD_NAMES) {
    const tenant = await management.call("createTenant", { body: { name } });
    const made = await management.call("createKey", { params: { id: tenant.data.id }, body: { name } });
    keyId = made.data.key.id;
    await management.call("createGroup", { body: { name, weight: 7 } });
    await management.call("createModel", { body: { name, api_base, max_in_flight: 2 } });
  }
  const open = async (path: string) => {
    await page.goto(`${stack.urls.dashboard}${path}`);
    await expect(page.getByRole("heading", { level: 1 }).or(page.getByRole("dialog"))).not.toHaveCount(0);
    await page.waitForLoadState("networkidle");
    expect(await page.evaluate(() => (window as { hit?: number }).hit), path).toBeUndefined();
    expect(await page.evaluate(() => Object.keys(Object.prototype)), path).toEqual([]);
  };
  for (const path of ["/tenants", "/fairshare/groups", "/models", "/keys"]) {
    await open(path);
    for (const name of ODD_NAMES)
      await expect(page.getByText(name, { exact: true }), `${path} ${name}`).not.toHaveCount(0);
  }
  for (const path of ["/", "/audit", "/usage", "/boosts?new=true", `/keys?key=${keyId}`]) await open(path);
  for (const name of [ODD_NAMES[0] ?? "", "__proto__", "‮evil"]) {
    await open(`/fairshare?pool=${encodeURIComponent(name)}`);
    await expect(page.getByRole("heading", { level: 1 })).toContainText(name);
    await open(`/models/${encodeURIComponent(name)}`);
    await expect(page.getByRole("heading", { level: 1 })).toContainText(name);
  }
});

test("sessions, clients and names that look like code are text in whatever is told of traffic", async ({
  adminPage: page,
  stack,
}) => {
  const { management } = stack;
  const code = `busy <img src=x onerror="window.hit=1">`;
  await management.call("createModel", {
    body: { name: code, max_in_flight: 2, api_base: `${stack.simulator.url}/v1` },
  });
  // One of the colours that a chart shows by name.
  await management.call("createGroup", { body: { name: code, weight: 7, color: 1 } });
  const tenant = await management.call("createTenant", { body: { name: code, group: code } });
  const key = await management.call("createKey", { params: { id: tenant.data.id }, body: { name: code } });
  const { secret } = key.data;
  // One step of a session, which a backend refuses in words of the same kind, and requests that run and wait.
  await stack.simulator.fail({ kind: "status", status: 400, body: code, times: 1 });
  const step = await fetch(`${stack.urls.proxy}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${secret}`,
      "content-type": "application/json",
      "user-agent": code,
      "x-session-id": code,
    },
    body: JSON.stringify({ model: code, max_tokens: 4, messages: [{ role: "user", content: "Hello" }] }),
  });
  expect(step.status).toBe(400);
  await step.text();
  const load = standingRequests({ url: stack.urls.proxy, model: code, secret, requests: 4 });
  try {
    await page.goto(`${stack.urls.dashboard}/fairshare?pool=${encodeURIComponent(code)}`);
    await expect(page.getByText("2 of 2 in use, 2 waiting")).toBeVisible();
    await page.getByRole("button", { name: /^Why/ }).first().click();
    await expect(page.getByText(code).first()).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("listitem").filter({ hasText: code })).toBeVisible();
    // The page of usage shows what has been written down when it is opened.
    const used = async () => (await management.call("getUsageSummary", { query: { by: "tenant" } })).data.rows;
    await expect.poll(async () => (await used()).map((row) => row.tenant_name)).toContain(code);
    for (const path of [`/fairshare?pool=${encodeURIComponent(code)}&tenant=${tenant.data.id}`, "/", "/usage"]) {
      await page.goto(`${stack.urls.dashboard}${path}`);
      await expect(page.getByText(code), path).not.toHaveCount(0);
    }
    expect(await page.evaluate(() => (window as { hit?: number }).hit)).toBeUndefined();
  } finally {
    await load.stop();
  }
});
