import { expect, test } from "../support/fixtures";

test("a secret is shown once and is nowhere after its dialog closes", async ({ adminPage, stack }) => {
  const { data } = await stack.management.call("listTenants", { query: { limit: 200 } });
  const tenant = data.items.find((one) => one.name === "chatbot");
  await adminPage.goto(`${stack.urls.dashboard}/tenants/${tenant?.id}?tab=keys`);
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
  await adminPage.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click();
  await expect.poll(async () => (await models(second)).status, { timeout: 3000 }).toBe(401);
});

test("names that look like code are shown as text everywhere", async ({ adminPage, stack }) => {
  const names = [
    '<img src=x onerror="window.hit=1">',
    '"><svg/onload=window.hit=1>',
    "=HYPERLINK(1)",
    "__proto__",
    "‮evil",
  ];
  for (const name of names) {
    await stack.management.call("createTenant", { body: { name } });
    await stack.management.call("createGroup", { body: { name, weight: 7 } });
  }
  for (const path of ["/tenants", "/fairshare/groups", "/audit", "/", "/usage"]) {
    await adminPage.goto(`${stack.urls.dashboard}${path}`);
    await expect(adminPage.getByRole("heading", { level: 1 })).toBeVisible();
    await adminPage.waitForLoadState("networkidle");
    expect(await adminPage.evaluate(() => (window as { hit?: number }).hit), path).toBeUndefined();
  }
  await adminPage.goto(`${stack.urls.dashboard}/tenants?q=${encodeURIComponent("__proto__")}`);
  await expect(adminPage.getByRole("link", { name: "__proto__" })).toBeVisible();
  expect(await adminPage.evaluate(() => Object.keys(Object.prototype))).toEqual([]);
});
