/** What a page costs to open, on the running product: scripts, first paint, the way to the next page. */
import type { Browser } from "@playwright/test";
import { type Figure, valueFigure } from "../../scripts/figure";
import { type BusyPool, startBusyPool } from "../support/busy-pool";
import { Stack } from "../support/stack";
import { type Cookies, type Opened, openPage, signedIn, slowDown, transfers } from "./browser";
import type { Started } from "./figures";
import { readWatched, timeToFrame, watch } from "./watch";

/** Kilobytes of script, compressed, that a page may load before it stands. */
const SCRIPT_LIMITS = { login: 150, fairshare: 240, other: 260, chart: 150 };
const LCP_LIMIT_MS = 1500;
const IDLE_SECS = 30;

interface Product {
  readonly browser: Browser;
  readonly quick: boolean;
  readonly url: string;
  readonly cookies: Cookies;
  /** The full pool's model; the pool begins to be full with the first call. */
  readonly fullPool: () => Promise<string>;
}

/** The parts measured here, in their order: idle before there is traffic, since for five minutes after it the rate of
 * finishes still falls and each answer differs. */
export const PRODUCT_PARTS: Readonly<Record<string, (product: Product) => Promise<Figure[]>>> = {
  idle: idleFigures,
  scripts: scriptFigures,
  paint: paintFigures,
  moving: movingFigures,
};

export async function startProduct({ browser, quick }: Pick<Product, "browser" | "quick">): Promise<Started<Product>> {
  const stack = await Stack.start();
  let pool: Promise<BusyPool> | undefined;
  const url = stack.urls.dashboard;
  const fullPool = async () => {
    pool ??= startBusyPool(stack);
    return (await pool).model;
  };
  const stop = async () => {
    await (await pool)?.stop();
    await stack.stop();
  };
  try {
    return { place: { browser, quick, url, cookies: await signedIn(browser, url, stack.login), fullPool }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function scriptFigures({ browser, quick, url, cookies, fullPool }: Product): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const one of pagesOf(await fullPool()).filter((page) => !quick || page.isPaintMeasured === true)) {
    const target = { url: `${url}${one.path}`, cookies: one.isPublic ? undefined : cookies };
    const sizes = await scriptSizes(browser, target);
    figures.push(valueFigure(`first scripts of ${one.name}`, [sizes.firstKb], { unit: "KB", atMost: one.limit }));
    if (one.name === "overview")
      figures.push(valueFigure("scripts of a chart", [sizes.laterKb], { unit: "KB", atMost: SCRIPT_LIMITS.chart }));
  }
  return figures;
}

/** Nothing cached in the browser, the server asked before, the processor slowed and the network late. */
async function paintFigures({ browser, quick, url, cookies, fullPool }: Product): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const one of pagesOf(await fullPool()).filter((page) => page.isPaintMeasured === true)) {
    const target = { url: `${url}${one.path}`, cookies };
    if (!quick) await paintMs(browser, target);
    const times = await repeat(quick ? 1 : 7, () => paintMs(browser, target));
    figures.push(valueFigure(`largest paint of ${one.name}, slowed`, times, { unit: "ms", atMost: LCP_LIMIT_MS }));
  }
  return figures;
}

interface MeasuredPage {
  readonly name: string;
  readonly path: string;
  readonly limit: number;
  readonly isPublic?: boolean;
  readonly isPaintMeasured?: boolean;
}

function pagesOf(model: string): MeasuredPage[] {
  const { login, fairshare, other } = SCRIPT_LIMITS;
  return [
    { name: "login", path: "/login", limit: login, isPublic: true },
    { name: "overview", path: "/", limit: fairshare, isPaintMeasured: true },
    { name: "fairshare", path: "/fairshare", limit: fairshare, isPaintMeasured: true },
    { name: "a pool", path: `/fairshare?pool=${model}`, limit: fairshare, isPaintMeasured: true },
    { name: "groups", path: "/fairshare/groups", limit: other },
    { name: "boosts", path: "/boosts", limit: other },
    { name: "models", path: "/models", limit: other },
    { name: "a model", path: `/models/${model}?tab=capacity`, limit: other },
    { name: "tenants", path: "/tenants", limit: other },
    { name: "keys", path: "/keys", limit: other },
    { name: "usage", path: "/usage", limit: other },
    { name: "audit", path: "/audit", limit: other },
    { name: "settings", path: "/settings", limit: other },
  ];
}

interface Target {
  readonly url: string;
  readonly cookies: Cookies | undefined;
}

/** Scripts that the page asks for itself, and those that come once it stands: the chart's. */
async function scriptSizes(browser: Browser, target: Target): Promise<{ firstKb: number; laterKb: number }> {
  const opened = await openPage(browser, target.cookies);
  const seen = transfers(opened);
  await opened.page.goto(target.url, { waitUntil: "load" });
  const first = scriptKb(seen);
  await opened.page.waitForLoadState("networkidle");
  await opened.page.waitForTimeout(2500);
  const all = scriptKb(seen);
  await opened.close();
  const laterKb = all - first;
  // Parts of the page that load after it hydrated count as the page's; only a chart's chunk is larger than this.
  return laterKb > 60 ? { firstKb: first, laterKb } : { firstKb: all, laterKb: 0 };
}

function scriptKb(seen: readonly { type: string; bytes: number }[]): number {
  return seen.filter((one) => one.type === "Script").reduce((sum, one) => sum + one.bytes, 0) / 1024;
}

async function paintMs(browser: Browser, target: Target): Promise<number> {
  const opened = await openPage(browser, target.cookies);
  await watch(opened.page);
  await slowDown(opened, { cpu: 4, latencyMs: 40 });
  await opened.page.goto(target.url, { waitUntil: "load" });
  // What the page is about may come after it has loaded; nothing larger comes later.
  await opened.page.locator("[data-testid=answer]:not(:empty)").waitFor();
  await opened.page.waitForTimeout(1500);
  const { lcpMs } = await readWatched(opened.page);
  await opened.close();
  return lcpMs;
}

/** From one page to the next, both loaded before. */
async function movingFigures({ browser, quick, url, cookies }: Product): Promise<Figure[]> {
  const opened = await openPage(browser, cookies);
  const { page } = opened;
  await page.goto(`${url}/models`);
  await page.waitForLoadState("networkidle");
  const go = (name: string) => page.getByRole("navigation", { name: "Main" }).getByRole("link", { name }).click();
  const routes: number[] = [];
  for (let round = 0; round <= (quick ? 2 : 9); round += 1) {
    const toPools = { event: "pointerdown", selector: "table[aria-label=Pools]" } as const;
    const route = await timeToFrame(page, toPools, () => go("Fairshare"));
    // The first round only warms.
    if (round > 0) routes.push(route);
    await go("Models");
    await page.getByRole("heading", { level: 1, name: "Models" }).waitFor();
  }
  await opened.close();
  return [valueFigure("warm change of page", routes, { unit: "ms", atMost: 200 })];
}

/** With nothing going on nearly every poll is answered with "not modified". */
async function idleFigures({ browser, quick, url, cookies }: Product): Promise<Figure[]> {
  const opened: Opened = await openPage(browser, cookies);
  await opened.page.goto(`${url}/fairshare`);
  await opened.page.waitForLoadState("networkidle");
  await opened.page.waitForTimeout(quick ? 1000 : 2000);
  const seen = transfers(opened);
  await opened.page.waitForTimeout((quick ? 4 : IDLE_SECS) * 1000);
  const polls = seen.filter((one) => one.url.includes("/fairshare/live"));
  await opened.close();
  const unchanged = polls.filter((one) => one.status === 304).length / Math.max(1, polls.length);
  return [valueFigure("idle polls not modified", [unchanged * 100], { unit: "%", atLeast: 90 })];
}

async function repeat(rounds: number, run: () => Promise<number>): Promise<number[]> {
  const values: number[] = [];
  for (let round = 0; round < rounds; round += 1) values.push(await run());
  return values;
}
