/**
 * The colours of how requests fared, the same in every chart: those of states, never of groups, which stand beside them
 * in a tenant's panel.
 */
export const OUTCOME_COLORS = {
  atOnce: "var(--open)",
  waited: "var(--watch)",
  timedOut: "var(--urgent)",
  refused: "var(--idle)",
} as const;
