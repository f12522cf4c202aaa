/** The pages on 200 pools and 2,000 tenants, a third of the pools changing each second and the mode flipping. */
import type { Browser, Page } from "@playwright/test";
import { type Figure, valueFigure } from "../../scripts/figure";
import { FixtureDashboard } from "../support/fixture-dashboard";
import { type Cookies, heapBytes, type Opened, openPage, signedIn, slowDown, transfers } from "./browser";
import { percentile, type Started } from "./figures";
import { useOnce } from "./use";
import { readWatched, restartWatch, timeToFrame, watch } from "./watch";

const CROWD = { pools: 200, tenants: 2000, everySecs: 1 };
const MINUTE_MS = 60_000;

interface Crowd {
  readonly browser: Browser;
  readonly cookies: Cookies;
  readonly url: string;
  readonly quick: boolean;
}

/** The parts measured here, in their order. */
export const CROWD_PARTS: Readonly<Record<string, (crowd: Crowd) => Promise<Figure[]>>> = {
  still: stillFigures,
  palette: paletteFigures,
  use: (crowd) => usedFigures(crowd, 1),
  slowed: (crowd) => usedFigures(crowd, 4),
  heap: heapFigures,
};

export async function startCrowd({ browser, quick }: Pick<Crowd, "browser" | "quick">): Promise<Started<Crowd>> {
  const dashboard = await FixtureDashboard.start(CROWD);
  const stop = () => dashboard.stop();
  try {
    const cookies = await signedIn(browser, dashboard.url, { email: "admin@example.com", password: "anything" });
    return { place: { browser, cookies, url: `${dashboard.url}/fairshare`, quick }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openList({ browser, cookies, url }: Crowd, isWatched = true): Promise<Opened> {
  const opened = await openPage(browser, cookies);
  if (isWatched) await watch(opened.page);
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
  const spanMs = crowd.quick ? 6000 : MINUTE_MS;
  await page.waitForTimeout(spanMs);
  const bytes = seen.reduce((sum, one) => sum + one.bytes, 0);
  const { cls, longTasks, updatesMs } = await readWatched(page);
  const elements = await page.evaluate(() => document.querySelectorAll("*").length);
  const quietMs = crowd.quick ? 1500 : 6000;
  const paused = await quietBytes(opened, quietMs, () => page.keyboard.press("p"));
  await page.keyboard.press("p");
  const hidden = await quietBytes(opened, quietMs, () => hide(page));
  await opened.close();
  return [
    valueFigure("layout shift while states and banners flip", [cls], { unit: "", atMost: 0.02 }),
    valueFigure("steady list", [bytes / 1024 / (spanMs / 1000)], { unit: "KB/s", atMost: 12 }),
    valueFigure("answer to frame, p95", [percentile(updatesMs, 0.95)], { unit: "ms", atMost: 50 }),
    valueFigure("tasks over 50 ms a minute, watching", [(longTasks * MINUTE_MS) / spanMs], { unit: "", atMost: 6 }),
    valueFigure("elements of the list", [elements], { unit: "", atMost: 3000 }),
    valueFigure("read while paused", [paused], { unit: "bytes", atMost: 0 }),
    valueFigure("read while hidden", [hidden], { unit: "bytes", atMost: 0 }),
  ];
}

async function quietBytes(opened: Opened, spanMs: number, act: () => Promise<void>): Promise<number> {
  await act();
  // What was asked for before may still arrive.
  await opened.page.waitForTimeout(1200);
  const seen = transfers(opened);
  await opened.page.waitForTimeout(spanMs);
  return seen.reduce((sum, one) => sum + one.bytes, 0);
}

function hide(page: Page): Promise<void> {
  return page.evaluate(() => {
    Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
    Object.defineProperty(document, "hidden", { value: true, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  });
}

/** The palette over the list, its code loaded before; from the key to the frame that has it. */
async function paletteFigures(crowd: Crowd): Promise<Figure[]> {
  const opened = await openList(crowd);
  const { page } = opened;
  const times: number[] = [];
  const until = { event: "keydown", selector: "[role=dialog] input" } as const;
  for (let round = 0; round <= (crowd.quick ? 3 : 9); round += 1) {
    const time = await timeToFrame(page, until, () => page.keyboard.press("Control+k"));
    // The first round only warms.
    if (round > 0) times.push(time);
    await page.waitForTimeout(300);
    await page.keyboard.press("Escape");
    await page.locator("[role=dialog]").waitFor({ state: "hidden" });
    await page.waitForTimeout(300);
  }
  await opened.close();
  return [valueFigure("palette open", times, { unit: "ms", atMost: 100 })];
}

/** Filtering, opening pools and a tenant, typing a weight, again and again; the short form has no time for slow rounds. */
async function usedFigures(crowd: Crowd, cpu: 1 | 4): Promise<Figure[]> {
  if (crowd.quick && cpu === 4) return [];
  const opened = await openList(crowd);
  const { page } = opened;
  await useOnce(page, 0);
  await slowDown(opened, { cpu, latencyMs: 0 });
  await restartWatch(page);
  const begun = Date.now();
  const spanMs = crowd.quick ? 1000 : cpu === 1 ? 3 * MINUTE_MS : MINUTE_MS;
  for (let round = 1; Date.now() - begun < spanMs; round += 1) await useOnce(page, round);
  const { inputMs, longTasks } = await readWatched(page);
  const minutes = (Date.now() - begun) / MINUTE_MS;
  await opened.close();
  const input = percentile(inputMs, 0.95);
  if (cpu === 4)
    return [valueFigure("input to paint, p95, processor slowed 4 times", [input], { unit: "ms", atMost: 200 })];
  return [
    valueFigure("input to paint, p95", [input], { unit: "ms", atMost: 100 }),
    valueFigure("tasks over 50 ms a minute, in use", [longTasks / minutes], { unit: "", atMost: 6 }),
  ];
}

/** Ten minutes of one page, used now and then; a short time would say too little to be stretched to ten minutes. */
async function heapFigures(crowd: Crowd): Promise<Figure[]> {
  if (crowd.quick) return [];
  const opened = await openList(crowd, false);
  const { page } = opened;
  await useOnce(page, 0);
  const before = await heapBytes(opened);
  const begun = Date.now();
  for (let round = 1; Date.now() - begun < 10 * MINUTE_MS; round += 1) {
    await page.waitForTimeout(20_000);
    await useOnce(page, round);
  }
  const mb = ((await heapBytes(opened)) - before) / 1024 / 1024;
  const minutes = (Date.now() - begun) / MINUTE_MS;
  await opened.close();
  return [valueFigure("heap growth in 10 min", [(mb * 10) / minutes], { unit: "MB", atMost: 10 })];
}
