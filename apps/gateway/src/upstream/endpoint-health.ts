/**
 * Whether an endpoint should be sent requests. Two sources agree on one state: what requests meet (passive), and checks
 * that run by themselves (active). An endpoint is set aside after several failures in a row, never after one; it comes
 * back after its penalty through one trial request, or sooner when checks succeed repeatedly.
 */

/** Failures in a row, of requests, that set an endpoint aside. */
const FAILURES_TO_EJECT = 5;
/** Failed checks in a row that set an endpoint aside. */
const CHECKS_TO_EJECT = 3;
/** Good checks in a row that bring it back. */
const CHECKS_TO_RETURN = 2;
/** First penalty, ms; it doubles each time the trial fails. */
const FIRST_PENALTY_MS = 5_000;
/** An endpoint that comes back after hours is found within five minutes. */
const LONGEST_PENALTY_MS = 300_000;

export class EndpointHealth {
  #failures = 0;
  #checkFailures = 0;
  #checkSuccesses = 0;
  #penalties = 0;
  /** Set aside until this moment; null while in use. */
  #asideUntilMs: number | null = null;
  #isOnTrial = false;

  constructor(private readonly onChange: (healthy: boolean, reason: string) => void) {}

  get isHealthy(): boolean {
    return this.#asideUntilMs === null;
  }

  /** Whether a request may go there: healthy, or its penalty is over and nobody else is trying. */
  isAvailable(nowMs: number): boolean {
    return this.#asideUntilMs === null || (nowMs >= this.#asideUntilMs && !this.#isOnTrial);
  }

  /** A request is on its way there. */
  requestSent(): void {
    if (this.#asideUntilMs !== null) this.#isOnTrial = true;
  }

  /** A request ended without telling anything about the endpoint. */
  requestUnjudged(): void {
    this.#isOnTrial = false;
  }

  requestSucceeded(): void {
    this.#failures = 0;
    if (this.#asideUntilMs !== null) this.#takeBack("a request was answered");
  }

  requestFailed(nowMs: number, reason: string): void {
    this.#failures++;
    if (this.#isOnTrial || this.#failures >= FAILURES_TO_EJECT) this.#setAside(nowMs, reason);
  }

  checkSucceeded(): void {
    this.#checkFailures = 0;
    this.#checkSuccesses++;
    if (this.#asideUntilMs !== null && this.#checkSuccesses >= CHECKS_TO_RETURN) this.#takeBack("checks succeed");
  }

  checkFailed(nowMs: number): void {
    this.#checkSuccesses = 0;
    this.#checkFailures++;
    if (this.#checkFailures >= CHECKS_TO_EJECT) this.#setAside(nowMs, "checks fail");
  }

  #setAside(nowMs: number, reason: string): void {
    const wasHealthy = this.#asideUntilMs === null;
    const penaltyMs = Math.min(FIRST_PENALTY_MS * 2 ** this.#penalties, LONGEST_PENALTY_MS);
    if (wasHealthy || this.#isOnTrial) this.#penalties = Math.min(this.#penalties + 1, 16);
    this.#asideUntilMs = nowMs + penaltyMs;
    this.#isOnTrial = false;
    this.#failures = 0;
    if (wasHealthy) this.onChange(false, reason);
  }

  #takeBack(reason: string): void {
    this.#asideUntilMs = null;
    this.#isOnTrial = false;
    this.#failures = 0;
    this.#penalties = 0;
    this.#checkSuccesses = 0;
    this.onChange(true, reason);
  }
}
