/** The pages on 200 pools and 2,000 tenants, a third of the pools changing each second and the mode flipping. */
import { execFileSync } from "node:child_process";
import type { Browser, Page } from "@playwright/test";
import { FixtureDashboard } from "../support/fixture-dashboard";
import { ROOT } from "../support/stack";
import { type Cookies, heapBytes, type Opened, openPage, signedIn, slowDown, transfers } from "./browser";
import { type Figure, figure, percentile } from "./figures";
import { readWatched, restartWatch, watch } from "./watch";

const CROWD = { pools: 200, tenants: 2000, everySecs: 1 };
const MINUTE_MS = 60_000;

export async function crowdFigures(browser: Browser, quick: boolean): Promise<Figure[]> {
  const dashboard = await FixtureDashboard.start(CROWD);
  try {
    const cookies = await signedIn(browser, dashboard.url, { email: "admin@example.com", password: "anything" });
    const crowd: Crowd = { browser, cookies, url: `${dashboard.url}/fairshare`, quick };
    const heap = await startHeap(crowd);
    const figures = [
      ...(await stillFigures(crowd)),
      ...(await usedFigures(crowd, 1)),
      ...(await usedFigures(crowd, 4)),
      ...previewFigures(),
    ];
    return [...figures, await heap.figure()];
  } finally {
    await dashboard.stop();
  }
}

interface Crowd {
  readonly browser: Browser;
  readonly cookies: Cookies;
  readonly url: string;
  readonly quick: boolean;
}

async function openList({ browser, cookies, url }: Crowd): Promise<Opened> {
  const opened = await openPage(browser, cookies);
  await watch(opened.page);
  await opened.page.goto(url);
  await opened.page.locator("[data-row]").first().waitFor();
  await opened.page.waitForLoadState("networkidle");
  return opened;
}

/** Watching without touching: shifts, bytes, elements, updates; nothing at all while hidden or paused. */
async function stillFigures(crowd: Crowd): Promise<Figure[]> {
  const opened = await openList(crowd);
  const { page } = opened;
  await restartWatch(page);
  const seen = transfers(opened);
  const spanMs = crowd.quick ? 22_000 : MINUTE_MS;
  await page.waitForTimeout(spanMs);
  const bytes = seen.reduce((sum, one) => sum + one.bytes, 0);
  const { cls, longTasks, updatesMs } = await readWatched(page);
  const elements = await page.evaluate(() => document.querySelectorAll("*").length);
  const paused = await quietBytes(opened, () => page.keyboard.press("p"));
  await page.keyboard.press("p");
  const hidden = await quietBytes(opened, () => hide(page));
  await opened.close();
  return [
    figure("layout shift while states and banners flip", [cls], { unit: "", atMost: 0.02 }),
    figure("steady list", [bytes / 1024 / (spanMs / 1000)], { unit: "KB/s", atMost: 12 }),
    figure("answer to frame, p95", [percentile(updatesMs, 0.95)], { unit: "ms", atMost: 50 }),
    figure("tasks over 50 ms a minute, watching", [(longTasks * MINUTE_MS) / spanMs], { unit: "", atMost: 6 }),
    figure("elements of the list", [elements], { unit: "", atMost: 3000 }),
    figure("read while paused", [paused], { unit: "bytes", atMost: 0 }),
    figure("read while hidden", [hidden], { unit: "bytes", atMost: 0 }),
  ];
}

async function quietBytes(opened: Opened, act: () => Promise<void>): Promise<number> {
  await act();
  await opened.page.waitForTimeout(2500);
  const seen = transfers(opened);
  await opened.page.waitForTimeout(6000);
  return seen.reduce((sum, one) => sum + one.bytes, 0);
}

function hide(page: Page): Promise<void> {
  return page.evaluate(() => {
    Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
    Object.defineProperty(document, "hidden", { value: true, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  });
}

/** Filtering, opening pools and a tenant, typing a weight, again and again. */
async function usedFigures(crowd: Crowd, cpu: 1 | 4): Promise<Figure[]> {
  const opened = await openList(crowd);
  const { page } = opened;
  await useOnce(page, 0);
  await slowDown(opened, { cpu, latencyMs: 0 });
  await restartWatch(page);
  const begun = Date.now();
  const spanMs = crowd.quick ? 15_000 : cpu === 1 ? 120_000 : MINUTE_MS;
  const delays: number[] = [];
  for (let round = 1; Date.now() - begun < spanMs; round += 1) await useOnce(page, round);
  const { interactions, longTasks } = await readWatched(page);
  delays.push(...Object.values(interactions));
  const minutes = (Date.now() - begun) / MINUTE_MS;
  await opened.close();
  const slowed = cpu === 1 ? "" : ", processor slowed 4 times";
  return [
    figure(`input to paint, p95${slowed}`, [percentile(delays, 0.95)], { unit: "ms", atMost: cpu === 1 ? 100 : 200 }),
    ...(cpu === 1 ? [figure("tasks over 50 ms a minute, in use", [longTasks / minutes], { unit: "", atMost: 6 })] : []),
  ];
}

const FILTERS = ["whisper-2", "llama", "qwen", "embed-large-1"] as const;

async function useOnce(page: Page, round: number): Promise<void> {
  const filter = page.getByLabel("Filter pools by name");
  await filter.pressSequentially(FILTERS[round % FILTERS.length] ?? "", { delay: 60 });
  await page.waitForTimeout(300);
  await filter.press("Control+a");
  await filter.press("Delete");
  // A pool that runs over has tenants, whatever step the fixture is at.
  const full = page.locator("[data-row]:has([data-value=full_waiting]) [data-row-link]");
  await full.nth(round % 8).click();
  await page.locator("[data-tenant] [data-row-link]").first().click();
  const weight = page.getByRole("dialog").getByLabel("Weight");
  await weight.press("Control+a");
  await weight.pressSequentially(String(120 + round), { delay: 60 });
  await page.waitForTimeout(400);
  await page.getByRole("dialog").getByRole("button", { name: "Discard" }).first().click();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  await page.getByRole("link", { name: "Fairshare", exact: true }).first().click();
  await filter.waitFor();
}

/** A page left open beside all the others. */
async function startHeap(crowd: Crowd): Promise<{ figure: () => Promise<Figure> }> {
  const opened = await openList(crowd);
  await opened.page.waitForTimeout(crowd.quick ? 5000 : 20_000);
  const before = await heapBytes(opened);
  const begun = Date.now();
  return {
    figure: async () => {
      const growth = (await heapBytes(opened)) - before;
      const minutes = (Date.now() - begun) / MINUTE_MS;
      await opened.close();
      const mb = growth / 1024 / 1024;
      // A short run says too little to be stretched to ten minutes.
      if (crowd.quick) return figure(`heap growth in ${minutes.toFixed(1)} min`, [mb], { unit: "MB" });
      return figure("heap growth in 10 min", [(mb * 10) / minutes], { unit: "MB", atMost: 10 });
    },
  };
}

/** The engine's preview on the same fixture, as the page calls it. */
function previewFigures(): Figure[] {
  const program = ["--import", "tsx", "apps/dashboard/test/preview-speed.ts"];
  const { groups, tenant } = JSON.parse(execFileSync(process.execPath, program, { cwd: ROOT, encoding: "utf8" })) as {
    groups: number;
    tenant: number;
  };
  return [
    figure("preview of group weights over all pools", [groups], { unit: "ms", atMost: 10 }),
    figure("preview of a tenant's weight in its pool", [tenant], { unit: "ms", atMost: 10 }),
  ];
}
