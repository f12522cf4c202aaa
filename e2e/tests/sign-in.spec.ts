import { expect, signIn, test } from "../support/fixtures";
import { PAGES } from "../support/pages";
import { tenantNamed } from "../support/stack";

test("every page sends a stranger to the login page and back to where they wanted to go", async ({ page, stack }) => {
  for (const path of PAGES) {
    await page.goto(`${stack.urls.dashboard}${path}`);
    expect(new URL(page.url()).pathname, path).toBe("/login");
  }
  const wanted = "/fairshare?pool=org%2Fmodel-7b&view=strip";
  await page.goto(`${stack.urls.dashboard}${wanted}`);
  await page.getByLabel("Email").fill(stack.login.email);
  await page.getByLabel("Password").fill(stack.login.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL((url) => url.pathname === "/fairshare");
  expect(new URL(page.url()).searchParams.get("pool")).toBe("org/model-7b");
});

test("the way back never leads off the site", async ({ page, stack }) => {
  for (const next of ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"]) {
    await page.context().clearCookies();
    await page.goto(`${stack.urls.dashboard}/login?next=${encodeURIComponent(next)}`);
    await page.getByLabel("Email").fill(stack.login.email);
    await page.getByLabel("Password").fill(stack.login.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL((url) => url.pathname !== "/login");
    expect(page.url(), next).toBe(`${stack.urls.dashboard}/`);
  }
});

test("a wrong password says so once, keeps the email and takes the focus", async ({ page, stack }) => {
  await page.goto(`${stack.urls.dashboard}/login`);
  await page.getByLabel("Email").fill("nobody@example.com");
  await page.getByLabel("Password").fill("not the password");
  await page.getByRole("button", { name: "Sign in" }).click();
  const notice = page.locator("#login-notice");
  await expect(notice).toContainText("do not match");
  await expect(notice).toBeFocused();
  await expect(page.getByLabel("Email")).toHaveValue("nobody@example.com");
  await expect(page.getByLabel("Password")).toHaveValue("");
});

test("the session cookie cannot be read by scripts and stays on this site", async ({ page, stack }) => {
  await signIn(page, stack);
  const cookie = (await page.context().cookies()).find((one) => one.name === "obleth_session");
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Lax", path: "/" });
  expect(await page.evaluate(() => document.cookie)).not.toContain("obleth_session");
  const asKey = await fetch(`${stack.urls.proxy}/v1/models`, {
    headers: { cookie: `obleth_session=${cookie?.value}` },
  });
  expect(asKey.status, "the cookie is no key").toBe(401);
  const response = await page.context().request.post(`${stack.urls.dashboard}/api/session`, {
    headers: { "sec-fetch-site": "same-origin", "x-forwarded-proto": "https" },
    form: { email: stack.login.email, password: stack.login.password },
    maxRedirects: 0,
  });
  expect(response.headers()["set-cookie"]).toMatch(/obleth_session=[^;]+;.*Secure/i);
});

test.describe("without scripts", () => {
  test.use({ javaScriptEnabled: false });
  test("signing in works", async ({ page, stack }) => {
    await page.goto(`${stack.urls.dashboard}/login?next=%2Fmodels`);
    await page.getByLabel("Email").fill(stack.login.email);
    await page.getByLabel("Password").fill(stack.login.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL((url) => url.pathname === "/models");
  });
});

test("a write needs proof that it comes from this site", async ({ page, stack }) => {
  await signIn(page, stack);
  const { request } = page.context();
  const url = `${stack.urls.dashboard}/api/v1/fairshare/groups`;
  const body = JSON.stringify({ name: "from-elsewhere" });
  const foreign: Record<string, string>[] = [
    { "content-type": "application/json", "sec-fetch-site": "cross-site" },
    { "content-type": "application/json", "sec-fetch-site": "same-site" },
    { "content-type": "application/json", origin: "https://evil.example" },
    { "content-type": "application/json", origin: "null" },
    { "content-type": "text/plain", "sec-fetch-site": "same-origin" },
    { "content-type": "multipart/form-data; boundary=x", "sec-fetch-site": "same-origin" },
  ];
  for (const headers of foreign) {
    const response = await request.post(url, { headers, data: body });
    expect([403, 415], JSON.stringify(headers)).toContain(response.status());
  }
  const groups = await stack.management.call("listGroups", {});
  expect(groups.data.items.map((group) => group.name)).not.toContain("from-elsewhere");
  const ends = await request.post(`${stack.urls.dashboard}/api/session/logout`, {
    headers: { origin: "https://evil.example" },
    maxRedirects: 0,
  });
  expect(ends.status()).toBe(403);
  for (const path of ["/api/session/logout", "/api/session", "/api/session/reset"]) {
    expect((await request.get(`${stack.urls.dashboard}${path}`)).status(), path).toBe(405);
  }
  const tenant = await tenantNamed(stack, "chatbot");
  const overridden = await request.post(`${stack.urls.dashboard}/api/v1/tenants/${tenant.id}`, {
    headers: { "sec-fetch-site": "same-origin", "x-http-method-override": "DELETE" },
  });
  expect(overridden.status()).toBe(405);
  expect((await request.get(`${stack.urls.dashboard}/api/v1/tenants`)).status()).toBe(200);
  const login = await request.post(`${stack.urls.dashboard}/api/session`, {
    headers: { origin: "https://evil.example" },
    form: { email: stack.login.email, password: stack.login.password },
    maxRedirects: 0,
  });
  expect(login.headers().location).toContain("/login");
});

test("a session that somebody else planted is not the one that is signed in", async ({ page, stack }) => {
  const planted = { name: "obleth_session", value: "Fe26.2*planted", url: stack.urls.dashboard };
  await page.context().addCookies([planted]);
  await signIn(page, stack);
  const cookies = (await page.context().cookies()).filter(({ name }) => name === planted.name);
  expect(cookies).toHaveLength(1);
  expect(cookies[0]?.value).not.toBe(planted.value);
});

test("signing out ends the session at the gateway too", async ({ page, stack }) => {
  await signIn(page, stack);
  const before = await page.context().cookies();
  await page.getByRole("button", { name: /^Account/ }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL((url) => url.pathname === "/login");
  await page.context().addCookies(before);
  const response = await page.context().request.get(`${stack.urls.dashboard}/api/v1/tenants`);
  expect(response.status()).toBe(401);
});

test("no page runs a script that the server did not vouch for", async ({ page, stack }) => {
  const response = await page.goto(`${stack.urls.dashboard}/login`);
  const policy = response?.headers()["content-security-policy"] ?? "";
  expect(policy).toMatch(/script-src 'self' 'nonce-[^']+' 'strict-dynamic'/);
  expect(policy).not.toMatch(/script-src[^;]*unsafe/);
  expect(policy).toContain("frame-ancestors 'none'");
});
