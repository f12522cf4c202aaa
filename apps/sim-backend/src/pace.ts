/** Waiting, scaled and interruptible. */

export interface Pace {
  /** Milliseconds since an arbitrary start, never decreasing. */
  nowMs(): number;
  /** Resolves after `ms` real milliseconds, or as soon as `signal` aborts; never rejects. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export const realPace: Pace = {
  nowMs: () => performance.now(),
  wait: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener("abort", done, { once: true });
    }),
};
