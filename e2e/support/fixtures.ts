/**
 * `test` with the running product in it: one stack for all specs of a worker, with the sample data of a first run, and a
 * page that is signed in. A spec that stops or breaks parts starts a stack of its own.
 */
import { test as base, expect, type Page } from "@playwright/test";
import { Stack } from "./stack";

interface Fixtures {
  /** A page signed in as the first administrator, on the page after login. Fails on any console error. */
  readonly adminPage: Page;
}

interface WorkerFixtures {
  readonly stack: Stack;
}

export const test = base.extend<Fixtures, WorkerFixtures>({
  stack: [
    async ({ browserName: _ }, use) => {
      const stack = await Stack.start();
      await use(stack);
      await stack.stop();
    },
    { scope: "worker", timeout: 120_000 },
  ],
  adminPage: async ({ page, stack }, use) => {
    const complaints = watchForComplaints(page);
    await signIn(page, stack);
    await use(page);
    expect(complaints).toEqual([]);
  },
});

export { expect };

/** Signs in through the form, as a person does. */
export async function signIn(page: Page, stack: Stack): Promise<void> {
  await page.goto(`${stack.urls.dashboard}/login`);
  await page.getByLabel("Email").fill(stack.login.email);
  await page.getByLabel("Password").fill(stack.login.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("navigation", { name: "Main" })).toBeVisible();
  await page.waitForLoadState("networkidle");
}

/** Console errors and exceptions of a page, hydration warnings among them. */
export function watchForComplaints(page: Page): string[] {
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(`${message.text()} (${message.location().url})`);
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  return complaints;
}
