/** What somebody at work does on the pools again and again, at the pace of a quick person. */
import type { Page } from "@playwright/test";

/** Between two letters. */
const LETTER_MS = 100;
/** A look at what has opened. */
const LOOK_MS = 700;

const FILTERS = ["whisper-2", "llama", "qwen", "embed-large-1"] as const;
/** Full pools are opened in turn, this many of them. */
const OPENED = 8;

/** Filters the list, opens a full pool and a tenant of it, types a weight, and goes back. */
export async function useOnce(page: Page, round: number): Promise<void> {
  await filterPools(page, FILTERS[round % FILTERS.length] ?? "");
  await openFullPool(page, round);
  await page.locator("[data-tenant] [data-row-link]").first().click();
  const panel = page.getByRole("dialog");
  const weight = panel.getByLabel("Weight");
  await weight.press("Control+a");
  await weight.pressSequentially(String(120 + round), { delay: LETTER_MS });
  await page.waitForTimeout(LOOK_MS);
  await panel.getByRole("button", { name: "Discard" }).first().click();
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "hidden" });
  await page.waitForTimeout(LOOK_MS);
  await page.getByRole("link", { name: "Fairshare", exact: true }).first().click();
  await page.getByLabel("Filter pools by name").waitFor();
  await page.waitForTimeout(LOOK_MS);
}

async function filterPools(page: Page, name: string): Promise<void> {
  const filter = page.getByLabel("Filter pools by name");
  const pools = page.getByRole("table", { name: "Pools" });
  const all = await pools.getAttribute("aria-rowcount");
  await filter.pressSequentially(name, { delay: LETTER_MS });
  await page.waitForTimeout(LOOK_MS);
  await filter.press("Control+a");
  await filter.press("Delete");
  // Until every pool is listed again, another row may take the place of the one that is clicked.
  await page.locator(`table[aria-label=Pools][aria-rowcount="${all}"]`).waitFor();
}

/** By its name: which pools are full differs from one second to the next. */
async function openFullPool(page: Page, round: number): Promise<void> {
  const full = page.locator("[data-row]:has([data-value=full_waiting])");
  const name = await full.nth(round % OPENED).getAttribute("data-row");
  await page.locator(`[data-row="${name}"] [data-row-link]`).click();
  await page
    .getByRole("heading", { level: 1 })
    .getByText(name ?? "", { exact: true })
    .waitFor();
  await page.getByRole("table", { name: "Tenants" }).waitFor();
  await page.waitForTimeout(LOOK_MS);
}
