/** Keys as lists show them. */
import { plural } from "./format";

export interface KeyFacts {
  readonly disabled: boolean;
  readonly expires_at: string | null;
  readonly last_used_ts_ms: number | null;
  readonly previous_secret_expires_ts_ms: number | null;
  readonly created_at: string;
}

export type KeyState = "active" | "disabled" | "expired" | "rotating";

export function keyState(key: KeyFacts, nowMs: number): KeyState {
  if (key.disabled) return "disabled";
  if (key.expires_at !== null && Date.parse(key.expires_at) <= nowMs) return "expired";
  return (key.previous_secret_expires_ts_ms ?? 0) > nowMs ? "rotating" : "active";
}

const UNUSED_MS = 30 * 86_400_000;

/** Not used for thirty days, and older than that. */
export function isUnused(key: KeyFacts, nowMs: number): boolean {
  return (key.last_used_ts_ms ?? Date.parse(key.created_at)) < nowMs - UNUSED_MS;
}

/** "12 keys, 2 unused for 30 days, 1 never used yet, 1 in rotation." */
export function keysAnswer(keys: readonly KeyFacts[], nowMs: number): string {
  if (keys.length === 0) return "No keys yet.";
  const unused = keys.filter((key) => isUnused(key, nowMs)).length;
  const isNew = (key: KeyFacts) => key.last_used_ts_ms === null && !isUnused(key, nowMs);
  const fresh = keys.filter(isNew).length;
  const rotating = keys.filter((key) => keyState(key, nowMs) === "rotating").length;
  const parts = [
    plural(keys.length, "key"),
    unused > 0
      ? `${unused} unused for 30 days`
      : fresh === 0
        ? "all used in the last 30 days"
        : "none idle for 30 days",
  ];
  if (fresh > 0) parts.push(`${fresh} never used yet`);
  if (rotating > 0) parts.push(`${rotating} in rotation`);
  return `${parts.join(", ")}.`;
}
