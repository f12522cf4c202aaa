/** What a page tells about itself while it is measured: paints, shifts, long tasks, input delays, updates. */
import type { Page } from "@playwright/test";

interface Watched {
  lcpMs: number;
  /** The worst session window of layout shifts. */
  cls: number;
  longTasks: number;
  /** Longest event per interaction, in milliseconds. */
  interactions: Record<string, number>;
  /** From the end of an answer with a new live state to the frame that shows it. */
  updatesMs: number[];
}

/** To be called before the page opens; `readWatched` collects. */
export async function watch(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const seen: Watched = { lcpMs: 0, cls: 0, longTasks: 0, interactions: {}, updatesMs: [] };
    Object.assign(window, { watched: seen });
    const on = (type: string, take: (entry: PerformanceEntry) => void, more: object = {}) =>
      new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true, ...more });
    on("largest-contentful-paint", (entry) => {
      seen.lcpMs = entry.startTime;
    });
    on("longtask", () => {
      seen.longTasks += 1;
    });
    let [windowSum, windowStart, lastShift] = [0, 0, 0];
    on("layout-shift", (entry) => {
      const { value, hadRecentInput } = entry as PerformanceEntry & { value: number; hadRecentInput: boolean };
      if (hadRecentInput) return;
      const isSameWindow = entry.startTime - lastShift < 1000 && entry.startTime - windowStart < 5000;
      if (!isSameWindow) [windowSum, windowStart] = [0, entry.startTime];
      windowSum += value;
      lastShift = entry.startTime;
      seen.cls = Math.max(seen.cls, windowSum);
    });
    on(
      "event",
      (entry) => {
        const { interactionId } = entry as PerformanceEntry & { interactionId: number };
        if (interactionId === 0) return;
        seen.interactions[interactionId] = Math.max(seen.interactions[interactionId] ?? 0, entry.duration);
      },
      { durationThreshold: 16 },
    );
    let answeredMs: number | null = null;
    on("resource", (entry) => {
      const { responseEnd, decodedBodySize } = entry as PerformanceResourceTiming;
      if (entry.name.includes("/fairshare/live") && decodedBodySize > 0) answeredMs = responseEnd;
    });
    addEventListener("DOMContentLoaded", () => {
      new MutationObserver(() => {
        if (answeredMs === null) return;
        const sinceMs = answeredMs;
        answeredMs = null;
        requestAnimationFrame(() => seen.updatesMs.push(performance.now() - sinceMs));
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    });
  });
}

export function readWatched(page: Page): Promise<Watched> {
  return page.evaluate(() => (window as unknown as { watched: Watched }).watched);
}

/** Forgets what was counted so far, paints aside. */
export async function restartWatch(page: Page): Promise<void> {
  await page.evaluate(() => {
    const { watched } = window as unknown as { watched: Watched };
    Object.assign(watched, { cls: 0, longTasks: 0, interactions: {}, updatesMs: [] });
  });
}

/** Milliseconds from an event of a kind, which `act` causes, to the frame with an element in it; fails after ten seconds. */
export async function timeToFrame(
  page: Page,
  until: { event: "keydown" | "pointerdown"; selector: string },
  act: () => Promise<void>,
): Promise<number> {
  await page.evaluate(({ event, selector }) => {
    const time = new Promise<number>((resolve, reject) => {
      setTimeout(() => reject(new Error(`no ${selector} after ${event}`)), 10_000);
      let begunMs: number | null = null;
      addEventListener(event, () => (begunMs = performance.now()), { capture: true, once: true });
      const look = () => {
        if (begunMs === null || document.querySelector(selector) === null) return void requestAnimationFrame(look);
        resolve(performance.now() - begunMs);
      };
      look();
    });
    Object.assign(window, { timed: time });
  }, until);
  await act();
  return page.evaluate(() => (window as unknown as { timed: Promise<number> }).timed);
}
