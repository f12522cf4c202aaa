/** What to say about whose numbers a page shows, and about limits that are not those configured. */

export interface ScopeFacts {
  readonly mode: "local" | "shared" | "fallback" | "split";
  readonly scope: "cluster" | "replica";
  readonly scope_reason: string | null;
  readonly replicas: number;
  readonly replicas_reporting: number;
}

export interface ScopeWords {
  readonly label: string;
  readonly detail: string;
  /** The numbers may be less than the whole. */
  readonly isPartial: boolean;
}

export function scopeChip(live: ScopeFacts): ScopeWords {
  if (live.replicas <= 1) {
    return { label: "One gateway", detail: "One gateway runs; these are all the numbers there are.", isPartial: false };
  }
  if (live.scope === "replica") {
    return {
      label: `On this gateway, 1 of ${live.replicas}`,
      detail: `The numbers are of the gateway that answered. ${live.scope_reason ?? "The others' are not known here."}`,
      isPartial: true,
    };
  }
  if (live.replicas_reporting < live.replicas) {
    return {
      label: `${live.replicas_reporting} of ${live.replicas} gateways reporting`,
      detail: "A gateway has not reported yet or is silent. Totals may be low until it does.",
      isPartial: true,
    };
  }
  return {
    label: `Whole cluster, ${live.replicas} gateways`,
    detail: "Every gateway reports; counts are of the whole cluster.",
    isPartial: false,
  };
}

/** How an answer line begins under numbers of one gateway of several. */
export function scopePrefix(live: ScopeFacts): string {
  return live.scope === "replica" && live.replicas > 1 ? "On this gateway, " : "";
}

export interface ModeWords {
  readonly isWarning: boolean;
  readonly text: string;
}

/** The open pool's size here and as configured, where one is open. */
export interface PoolSize {
  readonly model: string;
  readonly cap: number;
  readonly configured_cap: number;
}

/** What the banner says; null while limits hold as configured. */
export function modeBanner(live: ScopeFacts, since: string, pool: PoolSize | null): ModeWords | null {
  const here =
    pool !== null && pool.cap < pool.configured_cap
      ? ` ${pool.model}: ${pool.cap} of ${pool.configured_cap} slots here.`
      : "";
  switch (live.mode) {
    case "fallback":
      return {
        isWarning: true,
        text: `Shared slots are unavailable since ${since}. Each gateway holds its part of every limit until Redis answers.${here}`,
      };
    case "split":
      return {
        isWarning: false,
        text: `Shared slots are off: each of ${live.replicas} gateways holds its part of every limit.${here}`,
      };
    case "local":
      return live.replicas > 1
        ? {
            isWarning: true,
            text: `Limits apply on each gateway: ${live.replicas} can run ${live.replicas} times each number.`,
          }
        : null;
    case "shared":
      return null;
  }
}
