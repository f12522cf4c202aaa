/**
 * Which budget accounts a request draws on, and which term of each. Calendar work only: pure functions of the time, the
 * timezone and the budget.
 */
import { TZDate } from "@date-fns/tz";
import type { TermLimit } from "@obleth/cluster";
import type { KeyRecord, TermBudget } from "../../policy-cache/records";

export interface Term {
  /** Names the term: a new one starts from nothing. */
  readonly label: string;
  /** Milliseconds of the Unix epoch; null when it never ends. */
  readonly endsAtMs: number | null;
}

/**
 * The term a moment falls in. A month runs from midnight of its first day to midnight of the next month's, by the clock of
 * the timezone; a term runs from its start date until someone starts another; a lifetime never ends.
 */
export function termOf(budget: TermBudget, timezone: string, wallMs: number): Term {
  if (budget.period === "lifetime") return { label: "lifetime", endsAtMs: null };
  if (budget.period === "term") return { label: `from-${budget.startedAtMs ?? 0}`, endsAtMs: null };
  const local = localDate(wallMs, timezone);
  const year = local.getFullYear();
  const month = local.getMonth();
  const label = `${year}-${String(month + 1).padStart(2, "0")}`;
  return { label, endsAtMs: new TZDate(year, month + 1, 1, local.timeZone ?? "UTC").getTime() };
}

function localDate(wallMs: number, timezone: string): TZDate {
  const local = new TZDate(wallMs, timezone);
  return Number.isNaN(local.getMonth()) ? new TZDate(wallMs, "UTC") : local;
}

/** Longest time the terms of a key are taken as known; short, so that a clock that steps back is noticed. */
const REMEMBERED_MS = 60_000;

interface Remembered {
  readonly limits: readonly TermLimit[];
  /** Wall time within which they hold. */
  readonly fromMs: number;
  readonly untilMs: number;
}

/** The accounts of each key. Calendar work costs as much as the rest of a request's checks, and its answer seldom changes. */
export class TermCalendar {
  readonly #byKey = new WeakMap<KeyRecord, Remembered>();

  /** The term accounts of a key and its tenant; empty when neither has a cap. A budget not yet begun is not drawn on. */
  limitsOf(key: KeyRecord, wallMs: number): readonly TermLimit[] {
    const known = this.#byKey.get(key);
    if (known !== undefined && wallMs >= known.fromMs && wallMs < known.untilMs) return known.limits;
    const limits: TermLimit[] = [];
    const { tenant } = key;
    const subjects = [
      { subject: `tenant:${tenant.id}`, budget: tenant.budget },
      { subject: `key:${key.policy.id}`, budget: key.budget },
    ];
    let untilMs = wallMs + REMEMBERED_MS;
    for (const { subject, budget } of subjects) {
      if (budget === null || (budget.tokens === null && budget.costUsd === null)) continue;
      if (budget.period === "term" && budget.startedAtMs !== null && wallMs < budget.startedAtMs) {
        untilMs = Math.min(untilMs, budget.startedAtMs);
        continue;
      }
      const { label, endsAtMs } = termOf(budget, tenant.timezone, wallMs);
      untilMs = Math.min(untilMs, endsAtMs ?? untilMs);
      limits.push({ subject, term: label, endsAtMs, tokens: budget.tokens, costUsd: budget.costUsd });
    }
    this.#byKey.set(key, { limits, fromMs: wallMs, untilMs });
    return limits;
  }
}
