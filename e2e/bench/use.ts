/** What somebody at work does on the pools again and again, at the pace of a quick person. */
import type { Page } from "@playwright/test";

/** Between two letters. */
const LETTER_MS = 100;
/** A look at what has opened. */
const LOOK_MS = 700;

const FILTERS = ["whisper-2", "llama", "qwen", "embed-large-1"] as const;
/** Full pools are opened in turn, this many of them. */
const OPENED = 8;

const FILTER = "input[data-filter]";
const PANEL = "[role=dialog]";

/**
 * Filters the list, opens a full pool and a tenant of it, types a weight, and goes back. Elements are found by CSS: to find
 * one by its role reads the whole page in the page's own time, which is what is measured.
 */
export async function useOnce(page: Page, round: number): Promise<void> {
  await filterPools(page, FILTERS[round % FILTERS.length] ?? "");
  await openFullPool(page, round);
  await page.locator("[data-tenant] [data-row-link]").first().click();
  const weight = page.locator(`${PANEL} [data-weight]`);
  await weight.press("Control+a");
  await weight.pressSequentially(String(120 + round), { delay: LETTER_MS });
  await page.waitForTimeout(LOOK_MS);
  await page.locator(`${PANEL} button`, { hasText: "Discard" }).first().click();
  await page.keyboard.press("Escape");
  await page.locator(PANEL).waitFor({ state: "hidden" });
  await page.waitForTimeout(LOOK_MS);
  await page.locator('nav a[href="/fairshare"]').click();
  await page.locator(FILTER).waitFor();
  await page.waitForTimeout(LOOK_MS);
}

async function filterPools(page: Page, name: string): Promise<void> {
  const filter = page.locator(FILTER);
  const all = await page.locator("table[aria-label=Pools]").getAttribute("aria-rowcount");
  await filter.pressSequentially(name, { delay: LETTER_MS });
  await page.waitForTimeout(LOOK_MS);
  await filter.press("Control+a");
  await filter.press("Delete");
  // Until every pool is listed again, another row may take the place of the one that is clicked.
  await page.locator(`table[aria-label=Pools][aria-rowcount="${all}"]`).waitFor();
}

/** With the pointer in the list its order stands still; which pools are full differs from one second to the next. */
async function openFullPool(page: Page, round: number): Promise<void> {
  const full = page.locator("[data-row]:has([data-value=full_waiting])").nth(round % OPENED);
  await full.waitFor();
  await page.locator("[data-row]").first().hover();
  const name = await full.getAttribute("data-row");
  await page.locator(`[data-row="${name}"] [data-row-link]`).click();
  await page.locator("h1", { hasText: name ?? "" }).waitFor();
  await page.locator("table[aria-label=Tenants]").waitFor();
  await page.waitForTimeout(LOOK_MS);
}
