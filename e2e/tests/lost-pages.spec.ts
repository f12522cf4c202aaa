import { startBusyPool } from "../support/busy-pool";
import { expect, signIn, test } from "../support/fixtures";

test("an address that leads nowhere says so and leads on, signed in or not", async ({ page, stack }) => {
  for (const isSignedIn of [false, true]) {
    if (isSignedIn) await signIn(page, stack);
    const answer = await page.goto(`${stack.urls.dashboard}/no-such-page`);
    expect(answer?.status()).toBe(404);
    await expect(page.getByRole("heading", { name: "There is no page here" })).toBeVisible();
    await expect(page).toHaveTitle(/No such page/);
  }
  await page.getByRole("link", { name: "Fairshare" }).click();
  await expect(page.getByRole("heading", { name: "Fairshare" })).toBeVisible();
});

test("the icon that browsers ask for by themselves is there", async ({ page, stack }) => {
  const answer = await page.request.get(`${stack.urls.dashboard}/favicon.ico`);
  expect([answer.status(), answer.headers()["content-type"]]).toEqual([200, "image/svg+xml"]);
});

test("a part that the server no longer has takes down the page alone, and a reload goes on where it was", async ({
  page,
  stack,
}) => {
  const pool = await startBusyPool(stack);
  try {
    await signIn(page, stack);
    await page.goto(`${stack.urls.dashboard}/fairshare?pool=${pool.model}`);
    await expect(page.getByRole("button", { name: "Show as table" })).toBeVisible();
    await page.waitForLoadState("networkidle");
    await page.route("**/_next/static/**", (route) => route.fulfill({ status: 404, body: "" }));
    await page.getByRole("link", { name: "chatbot" }).first().click();
    await expect(page.getByRole("heading", { name: "This page failed" })).toBeVisible();
    await expect(page.getByRole("navigation", { name: "Main" })).toBeVisible();
    await page.unroute("**/_next/static/**");
    await page.getByRole("button", { name: "Reload" }).click();
    await expect(page.getByRole("dialog", { name: "chatbot" })).toBeVisible();
  } finally {
    await pool.stop();
  }
});
