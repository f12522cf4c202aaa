/** Signs in to a dashboard on fixtures, which takes any password, and waits for its list of pools. */
import { expect, type Page } from "@playwright/test";

export async function openFairshare(page: Page, dashboardUrl: string): Promise<void> {
  await page.goto(`${dashboardUrl}/login?next=%2Ffairshare`);
  await page.getByLabel("Email").fill("admin@example.com");
  await page.getByLabel("Password").fill("anything");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.locator("[data-row]").first()).toBeVisible();
}
