/** The explanation of a tenant's wait as a reader of the pool's page gets it. */
import type { Page } from "@playwright/test";
import { expect } from "./fixtures";

/**
 * Asks the open pool's page why the tenant stands so, again until the answer is the one expected: what makes a wait may
 * still be coming about. The text is the sentence and what stands below it.
 */
export async function expectWhy(page: Page, tenant: string, reason: string, text: RegExp | string): Promise<void> {
  const why = page.locator("[data-reason]");
  await expect(async () => {
    await page.keyboard.press("Escape");
    await expect(why).toBeHidden({ timeout: 2000 });
    const row = page.locator(`[data-tenant="${tenant}"]`);
    await row.getByRole("button", { name: `Why ${tenant} stands so` }).click({ timeout: 5000 });
    await expect(why).toHaveAttribute("data-reason", reason, { timeout: 2000 });
    await expect(why).toContainText(text, { timeout: 1 });
  }).toPass({ timeout: 30_000 });
}
