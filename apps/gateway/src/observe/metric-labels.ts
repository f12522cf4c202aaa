/** The closed sets that labels come from, beyond those their owners define. */
export const MODES = ["local", "shared", "fallback", "split"] as const;

export const AFFINITY_EVENTS = ["warm", "hold", "redeem", "expire", "release", "bypass"] as const;
export type AffinityEvent = (typeof AFFINITY_EVENTS)[number];
