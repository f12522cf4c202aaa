/** What a page tells about itself while it is measured: paints, shifts, long tasks, input delays, updates. */
import type { Page } from "@playwright/test";

interface Watched {
  lcpMs: number;
  /** The worst session window of layout shifts. */
  cls: number;
  longTasks: number;
  /** Longest event per interaction, in milliseconds; those of less than 16 ms the browser does not report. */
  interactions: Record<string, number>;
  /** Interactions in all before the watch began again. */
  interactionsBefore: number;
  /** When a new live state had arrived, in the page's time. */
  answeredMs: number[];
  /** When numbers of a table changed, and when the frame that shows it was drawn. */
  frames: { changedMs: number; drawnMs: number }[];
}

/** What came of watching. */
interface Readings {
  readonly lcpMs: number;
  readonly cls: number;
  readonly longTasks: number;
  /** One per interaction, also for those too short to be reported (0). */
  readonly inputMs: number[];
  /** From the last byte of an answer with a new live state until the frame that shows it was drawn. */
  readonly updatesMs: number[];
}

/** To be called before the page opens; `readWatched` collects. */
export async function watch(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const seen: Watched = {
      lcpMs: 0,
      cls: 0,
      longTasks: 0,
      interactions: {},
      interactionsBefore: 0,
      answeredMs: [],
      frames: [],
    };
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
    on("resource", (entry) => {
      const { responseEnd, decodedBodySize } = entry as PerformanceResourceTiming;
      if (entry.name.includes("/fairshare/live") && decodedBodySize > 0) seen.answeredMs.push(responseEnd);
    });
    let isDrawing = false;
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      isDrawing = false;
      const frame = seen.frames.at(-1);
      if (frame !== undefined) frame.drawnMs = performance.now();
    };
    // The clock in the header ticks by itself; tables change with what was read.
    const isOfTable = ({ target }: MutationRecord) =>
      (target instanceof Element ? target : target.parentElement)?.closest("main table") != null;
    addEventListener("DOMContentLoaded", () => {
      new MutationObserver((changes) => {
        if (isDrawing || !changes.some(isOfTable)) return;
        isDrawing = true;
        seen.frames.push({ changedMs: performance.now(), drawnMs: Number.NaN });
        // A message that a frame's callback sends arrives after that frame was laid out and painted.
        requestAnimationFrame(() => port2.postMessage(null));
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    });
  });
}

export async function readWatched(page: Page): Promise<Readings> {
  const { watched, interactionCount } = await page.evaluate(() => ({
    watched: (window as unknown as { watched: Watched }).watched,
    interactionCount: (performance as Performance & { interactionCount: number }).interactionCount,
  }));
  const { lcpMs, cls, longTasks, interactions, interactionsBefore } = watched;
  const reported = Object.values(interactions);
  const unreported = Math.max(0, interactionCount - interactionsBefore - reported.length);
  const inputMs = [...reported, ...Array.from({ length: unreported }, () => 0)];
  return { lcpMs, cls, longTasks, inputMs, updatesMs: updatesOf(watched) };
}

/** Each answer with the first change of a table after it, if that came before the next answer. */
function updatesOf({ answeredMs, frames }: Watched): number[] {
  return answeredMs.flatMap((answered, index) => {
    const next = answeredMs[index + 1] ?? Number.POSITIVE_INFINITY;
    const frame = frames.find(({ changedMs }) => changedMs > answered && changedMs <= next);
    return frame === undefined || Number.isNaN(frame.drawnMs) ? [] : [frame.drawnMs - answered];
  });
}

/** Forgets what was counted so far, paints aside. */
export async function restartWatch(page: Page): Promise<void> {
  await page.evaluate(() => {
    const { watched } = window as unknown as { watched: Watched };
    const interactionsBefore = (performance as Performance & { interactionCount: number }).interactionCount;
    Object.assign(watched, { cls: 0, longTasks: 0, interactions: {}, interactionsBefore, answeredMs: [], frames: [] });
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
      addEventListener(event, ({ timeStamp }) => (begunMs = timeStamp), { capture: true, once: true });
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
