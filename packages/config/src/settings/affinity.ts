/** Session affinity, for pools whose model says nothing of its own. */
import { DAY_SECS, flag, integer } from "../setting";

export const affinitySettings = {
  sessionAffinity: flag("OBLETH_FAIRSHARE_SESSION_AFFINITY", {
    default: false,
    about: "Favours sessions whose prompt is likely still in the backend's cache. A model can decide for its own pool.",
  }),
  affinityWarmSecs: integer("OBLETH_FAIRSHARE_SESSION_AFFINITY_WARM_SECS", {
    default: 120,
    min: 0,
    max: DAY_SECS,
    unit: "s",
    about: "How long after its last step a session counts as warm.",
  }),
  affinityHoldMs: integer("OBLETH_FAIRSHARE_SESSION_AFFINITY_HOLD_MS", {
    default: 3000,
    min: 0,
    max: 60_000,
    unit: "ms",
    about:
      "How long a slot is kept for a session's next step, and the longest gap that counts as a loop. 0 keeps none.",
  }),
  affinityMaxJumps: integer("OBLETH_FAIRSHARE_SESSION_AFFINITY_MAX_JUMPS", {
    default: 8,
    min: 0,
    max: 10_000,
    unit: "passes",
    about: "How often a waiting request may be passed by later ones of its key.",
  }),
  affinityMaxBypassSecs: integer("OBLETH_FAIRSHARE_SESSION_AFFINITY_MAX_BYPASS_SECS", {
    default: 30,
    min: 1,
    max: 3600,
    unit: "s",
    about: "Wait after which nothing passes a request. Keep it under half the admission timeout.",
  }),
  affinityMaxHeldPercent: integer("OBLETH_FAIRSHARE_SESSION_AFFINITY_MAX_HELD_PERCENT", {
    default: 25,
    min: 0,
    max: 100,
    unit: "%",
    about: "Most of a pool's slots kept for sessions at once, rounded up. 0 keeps none.",
  }),
};
