/** A boost as it is typed: how strong, where, until when, and why. */
import { parseWeight } from "../../../lib/weight";

export interface BoostDraft {
  readonly tenantId: string;
  /** Empty: every pool. */
  readonly model: string;
  readonly kind: "factor" | "weight";
  readonly strength: string;
  /** Minutes from now as typed. */
  readonly minutes: string;
  readonly reason: string;
}

export const EMPTY_BOOST: BoostDraft = {
  tenantId: "",
  model: "",
  kind: "factor",
  strength: "3",
  minutes: "60",
  reason: "",
};

export const MAX_MINUTES = 24 * 60;
const MIN_FACTOR = 0.1;
const MAX_FACTOR = 100;
/** Stronger or longer than this asks twice. */
const LARGE_FACTOR = 5;
const LONG_MINUTES = 240;

export interface BoostErrors {
  readonly tenantId: string | null;
  readonly strength: string | null;
  readonly minutes: string | null;
  readonly reason: string | null;
}

export function boostErrors(draft: BoostDraft): BoostErrors {
  return {
    tenantId: draft.tenantId === "" ? "Choose a tenant." : null,
    strength: strengthError(draft),
    minutes: minutesOf(draft) === null ? "An end is 1 minute to 24 hours from now." : null,
    reason: draft.reason.trim() === "" ? "Say why: everyone sees it." : null,
  };
}

export function isBoostReady(draft: BoostDraft): boolean {
  return Object.values(boostErrors(draft)).every((error) => error === null);
}

/** The factor on the tenant's weight; null while what is typed is none. */
export function factorOf(draft: BoostDraft, weight: number): number | null {
  if (strengthError(draft) !== null) return null;
  const value = Number(draft.strength);
  return draft.kind === "factor" ? value : value / weight;
}

export function minutesOf(draft: BoostDraft): number | null {
  const minutes = Number(draft.minutes);
  return draft.minutes.trim() !== "" && Number.isInteger(minutes) && minutes >= 1 && minutes <= MAX_MINUTES
    ? minutes
    : null;
}

/** Whether a save asks twice. */
export function isLargeBoost(draft: BoostDraft, weight: number): boolean {
  const factor = factorOf(draft, weight) ?? 1;
  return factor > LARGE_FACTOR || (minutesOf(draft) ?? 0) > LONG_MINUTES;
}

function strengthError(draft: BoostDraft): string | null {
  if (draft.kind === "weight") {
    const parsed = parseWeight(draft.strength);
    return "error" in parsed ? parsed.error : null;
  }
  const factor = Number(draft.strength);
  const isGood = draft.strength.trim() !== "" && factor >= MIN_FACTOR && factor <= MAX_FACTOR;
  return isGood ? null : `A factor is a number from ${MIN_FACTOR} to ${MAX_FACTOR}.`;
}
