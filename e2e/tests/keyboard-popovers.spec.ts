/** Popovers of the frame: their code comes when one is about to open. */
import { expect, signIn, test } from "../support/fixtures";

test("a popover opens from its button by keyboard, takes the focus and gives it back", async ({ adminPage: page }) => {
  const button = page.getByRole("button", { name: /^Account/ });
  const popover = page.getByRole("dialog", { name: "Account" });
  await button.focus();
  await page.keyboard.press("Enter");
  await expect(page.locator("[role=dialog]:focus-within")).toHaveAccessibleName("Account");
  await expect(button).toHaveAttribute("aria-expanded", "true");
  await page.keyboard.press("Escape");
  await expect(popover).toBeHidden();
  await expect(button).toBeFocused();
  await button.click();
  await expect(popover).toBeVisible();
  await button.click();
  await expect(popover).toBeHidden();
});

test("while a popover's code cannot be had nothing opens and the page stands; the next press opens it", async ({
  page,
  stack,
}) => {
  await signIn(page, stack);
  await page.route("**/_next/static/**", (route) => route.abort());
  const button = page.getByRole("button", { name: /^Account/ });
  const failed = page.waitForEvent("requestfailed");
  await button.click();
  await failed;
  await expect(button).toHaveAttribute("aria-expanded", "false");
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  await page.unroute("**/_next/static/**");
  await button.click();
  await expect(page.getByRole("dialog", { name: "Account" })).toBeVisible();
});
