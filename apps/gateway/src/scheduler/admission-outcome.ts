import type { Permit } from "./permit";

/**
 * Every way an admission can end. After an admitted outcome the caller owns the permit and must release it; after any
 * other there is nothing to release and nothing was charged.
 */
export type AdmissionOutcome =
  | { readonly kind: "admitted-fast"; readonly permit: Permit; readonly waitMs: 0 }
  | { readonly kind: "admitted-queued"; readonly permit: Permit; readonly waitMs: number }
  | { readonly kind: "timed-out"; readonly waitMs: number }
  | { readonly kind: "client-gone"; readonly waitMs: number }
  | { readonly kind: "queue-full"; readonly waitMs: 0 }
  | { readonly kind: "no-servers"; readonly waitMs: 0 }
  | { readonly kind: "shutting-down"; readonly waitMs: number };

/** The closed list, for metrics, error texts and the tests that check each member has both. */
export const ADMISSION_OUTCOMES = [
  "admitted-fast",
  "admitted-queued",
  "timed-out",
  "client-gone",
  "queue-full",
  "no-servers",
  "shutting-down",
] as const satisfies readonly AdmissionOutcome["kind"][];
