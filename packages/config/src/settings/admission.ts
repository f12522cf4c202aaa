/** How many requests run at once, how long the others wait, and in which order they go. */
import { choice, DAY_SECS, integer } from "../setting";

export const admissionSettings = {
  globalMaxInFlight: integer("OBLETH_GLOBAL_MAX_IN_FLIGHT", {
    default: 4096,
    min: 1,
    max: 1_000_000,
    unit: "requests",
    about:
      "Ceiling over all pools together, a safety net. Keep it above the sum of your pools; the start warns if not.",
  }),
  defaultModelMaxInFlight: integer("OBLETH_DEFAULT_MODEL_MAX_IN_FLIGHT", {
    default: 32,
    min: 1,
    max: 100_000,
    unit: "requests",
    isLenient: true,
    about:
      "Pool size of a model that has none of its own, and of the pool of unregistered names. 0 reads as the default.",
  }),
  admissionTimeoutSecs: integer("OBLETH_ADMISSION_TIMEOUT_SECS", {
    default: 60,
    min: 1,
    max: DAY_SECS,
    unit: "s",
    isLenient: true,
    about: "How long a request waits for a slot before it gets 503. 0 and unreadable values read as 60.",
  }),
  maxQueuePerPool: integer("OBLETH_MAX_QUEUE_PER_POOL", {
    default: 0,
    min: 0,
    max: 10_000_000,
    unit: "requests",
    about: "Requests that may wait for one pool; the next one gets 503 at once. 0 sets no bound.",
  }),
  fairshareAlgorithm: choice("OBLETH_FAIRSHARE_ALGORITHM", {
    of: ["hierarchical", "weighted"],
    default: "hierarchical",
    about:
      "hierarchical splits slots between groups, then tenants, then keys; weighted lets all tenants compete on tokens.",
  }),
  fairshareSettle: choice("OBLETH_FAIRSHARE_SETTLE", {
    of: ["estimate", "actual"],
    default: "estimate",
    about:
      "Whether fairness keeps the token estimate charged at admission or corrects it with the usage reported later.",
  }),
  fairshareHistorySecs: integer("OBLETH_FAIRSHARE_HISTORY_SECS", {
    default: 3600,
    min: 0,
    max: DAY_SECS,
    unit: "s",
    about: "How far back the pools' history reaches, one sample every 2 s in memory. 0 keeps none.",
  }),
};
