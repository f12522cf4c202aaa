/** How one try at an endpoint ended; a closed list, for metrics. */
export const ATTEMPT_OUTCOMES = [
  "answered",
  "error_status",
  "connect_failed",
  "connect_timeout",
  "first_byte_timeout",
  "idle_timeout",
  "total_timeout",
  "broken",
  "bad_answer",
  "address_refused",
  "aborted",
] as const;

export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

export interface UpstreamEvents {
  /** Each try, retries included. */
  attemptFinished(endpointId: string, outcome: AttemptOutcome): void;
  /** An endpoint was set aside or taken back. */
  endpointHealthChanged(endpointId: string, healthy: boolean, reason: string): void;
}
