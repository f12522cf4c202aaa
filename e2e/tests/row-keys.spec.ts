/** Rows without a mouse, from a page that was only just opened. */
import { expect, test } from "../support/fixtures";

test("j goes to the first row of a page's list and on to the next, and Enter opens it", async ({
  adminPage: page,
  stack,
}) => {
  await page.goto(`${stack.urls.dashboard}/tenants`);
  const links = page.locator("[data-row-link]");
  await expect(links.nth(1)).toBeVisible();
  await page.keyboard.press("j");
  await expect(links.first()).toBeFocused();
  await page.keyboard.press("j");
  await expect(links.nth(1)).toBeFocused();
  await page.keyboard.press("k");
  const name = (await links.first().textContent()) ?? "";
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
  await page.goto(`${stack.urls.dashboard}/tenants`);
  await page.getByLabel("Filter by name").fill("j");
  await expect(page.getByLabel("Filter by name")).toBeFocused();
});
