/** A boost as it is typed: how strong, where, until when, and why. */
import { MAX_BOOST_FACTOR, MIN_BOOST_FACTOR } from "@obleth/contract/bounds";
import { errorOf, type Parsed, parseAmount, parseWeight, parseWhole } from "../../../lib/weight";

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
    strength: errorOf(strengthOf(draft)),
    minutes: minutesOf(draft) === null ? "An end is 1 minute to 24 hours from now." : null,
    reason: draft.reason.trim() === "" ? "Say why: everyone sees it." : null,
  };
}

export function isBoostReady(draft: BoostDraft): boolean {
  return Object.values(boostErrors(draft)).every((error) => error === null);
}

/** The factor on the tenant's weight; null while what is typed is none. */
export function factorOf(draft: BoostDraft, weight: number): number | null {
  const strength = strengthOf(draft);
  if ("error" in strength) return null;
  return draft.kind === "factor" ? strength.value : strength.value / weight;
}

export function minutesOf(draft: BoostDraft): number | null {
  const minutes = parseWhole(draft.minutes, { what: "An end", max: MAX_MINUTES });
  return "value" in minutes ? minutes.value : null;
}

/** The factor or the weight as typed. */
export function strengthOf(draft: BoostDraft): Parsed {
  if (draft.kind === "weight") return parseWeight(draft.strength);
  const factor = parseAmount(draft.strength, { what: "A factor", above: 0, max: MAX_BOOST_FACTOR });
  return "value" in factor && factor.value >= MIN_BOOST_FACTOR
    ? factor
    : { error: `A factor is a number from ${MIN_BOOST_FACTOR} to ${MAX_BOOST_FACTOR}.` };
}

/** Whether a save asks twice. */
export function isLargeBoost(draft: BoostDraft, weight: number): boolean {
  const factor = factorOf(draft, weight) ?? 1;
  return factor > LARGE_FACTOR || (minutesOf(draft) ?? 0) > LONG_MINUTES;
}
