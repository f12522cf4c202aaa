/**
 * What time it is on the servers, as this browser knows it. Ages, waits and ends are all reckoned in it, so that a wrong
 * clock here changes none of them. Between answers it runs by the browser's steady timer, which setting the clock does
 * not move.
 */
import { type ClockOffset, learnOffset, offsetMs, UNKNOWN_OFFSET } from "./clock-offset";

/** Clocks are trimmed by less all the time. */
const SETTING_MS = 2000;

let settingMs = 0;
let settings = 0;
let known: ClockOffset = UNKNOWN_OFFSET;
let appliedMs = 0;

/** Time that only goes forward, of no particular zero beyond this page. */
export function steadyNowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** Server time now; the browser's own until a first answer was stamped. */
export function serverNowMs(): number {
  return steadyNowMs() + appliedMs;
}

/** Counts how often the browser's clock was set, or the machine slept: the time is then best asked anew. */
export function clockSetting(): number {
  const aheadMs = Date.now() - steadyNowMs();
  if (Math.abs(aheadMs - settingMs) > SETTING_MS) {
    settingMs = aheadMs;
    settings++;
  }
  return settings;
}

/** An answer that was asked for and came at these steady times, stamped by its server. */
export function learnServerTime(answer: { sentMs: number; receivedMs: number; dateMs: number }): void {
  known = learnOffset(known, answer);
  // Kept while it is possible, so that narrowing the bounds moves nothing that is shown.
  if (appliedMs < known.lowMs || appliedMs > known.highMs) appliedMs = offsetMs(known);
}
