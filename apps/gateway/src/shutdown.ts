/**
 * Leaving without cutting anybody off: say not ready, stop accepting, answer those who wait, let what runs finish within
 * the grace, then settle accounts and close. Each step has the right order for one reason: a client must never meet a
 * gateway that has taken its request and cannot finish it.
 */
import type { Clock } from "@obleth/clock";
import type { Log } from "./log";

export interface ShutdownSteps {
  /** `/ready` says no from here on. */
  readonly sayNotReady: () => void;
  /** No new connections; idle ones are closed, new requests on kept ones refused. */
  readonly stopAccepting: () => void;
  /** Everybody who waits is told to come back. */
  readonly answerWaiting: () => void;
  /** Resolves when no request is left; those still running after `graceMs` are cut short. */
  readonly drain: (graceMs: number) => Promise<void>;
  /** In order, each whatever became of the one before: usage, slots, heartbeat, view, connections, database. */
  readonly finish: readonly { readonly name: string; readonly run: () => Promise<void> | void }[];
}

export interface ShutdownOptions {
  readonly steps: ShutdownSteps;
  readonly clock: Clock;
  readonly log: Log;
  readonly graceMs: number;
  /** How long `/ready` says no before connections are refused. */
  readonly delayMs: number;
}

/** Longest time one of the last steps may take; a database that is away must not hold the process. */
const STEP_LIMIT_MS = 10_000;

/** Runs the steps; resolves to the exit code, 0 when each went well. Never rejects. */
export async function shutDown(options: ShutdownOptions): Promise<number> {
  const { steps, clock, log, graceMs, delayMs } = options;
  log.info({ grace_ms: graceMs }, "shutdown.started");
  steps.sayNotReady();
  if (delayMs > 0) await new Promise<void>((resolve) => clock.setTimer(delayMs, resolve));
  steps.stopAccepting();
  steps.answerWaiting();
  await steps.drain(graceMs);
  let failures = 0;
  for (const { name, run } of steps.finish) {
    try {
      await withinLimit(clock, run());
    } catch (error) {
      failures++;
      log.error({ err: error, step: name }, "shutdown.step_failed");
    }
  }
  log.info({ failures }, "shutdown.finished");
  return failures === 0 ? 0 : 1;
}

async function withinLimit(clock: Clock, work: Promise<void> | void): Promise<void> {
  if (work === undefined) return;
  await new Promise<void>((resolve, reject) => {
    const timer = clock.setTimer(STEP_LIMIT_MS, () => reject(new Error("took too long")));
    work.then(resolve, reject).finally(() => timer.cancel());
  });
}
