import type { Clock, Timer } from "./clock";

/** Node's longest timer; a larger delay would fire at once. */
const MAX_DELAY_MS = 2_147_483_647;

/** The machine's clocks and timers. */
export class SystemClock implements Clock {
  monotonicMs(): number {
    return performance.now();
  }

  wallMs(): number {
    return Date.now();
  }

  setTimer(delayMs: number, fire: () => void): Timer {
    const handle = setTimeout(fire, Math.min(Math.max(0, delayMs), MAX_DELAY_MS));
    handle.unref();
    return { cancel: () => clearTimeout(handle) };
  }
}
