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

interface RememberedTerm extends Term {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Longest time a month's name is taken as known; short, so that a clock that steps back is noticed. */
const REMEMBERED_MS = 60_000;

/** Months by timezone. Calendar work costs as much as the rest of a request's checks, and its answer seldom changes. */
export class TermCalendar {
  readonly #months = new Map<string, RememberedTerm>();

  /** The term accounts of a key and its tenant; empty when neither has a cap. A budget not yet begun is not drawn on. */
  limitsOf(key: KeyRecord, wallMs: number): TermLimit[] {
    const limits: TermLimit[] = [];
    const { tenant } = key;
    if (tenant.budget !== null)
      this.#add(limits, `tenant:${tenant.id}`, { budget: tenant.budget, timezone: tenant.timezone, wallMs });
    if (key.budget !== null)
      this.#add(limits, `key:${key.policy.id}`, { budget: key.budget, timezone: tenant.timezone, wallMs });
    return limits;
  }

  #add(
    limits: TermLimit[],
    subject: string,
    { budget, timezone, wallMs }: { budget: TermBudget; timezone: string; wallMs: number },
  ): void {
    if (budget.tokens === null && budget.costUsd === null) return;
    if (budget.period === "term" && budget.startedAtMs !== null && wallMs < budget.startedAtMs) return;
    const { label, endsAtMs } =
      budget.period === "monthly" ? this.#month(budget, timezone, wallMs) : termOf(budget, timezone, wallMs);
    limits.push({ subject, term: label, endsAtMs, tokens: budget.tokens, costUsd: budget.costUsd });
  }

  #month(budget: TermBudget, timezone: string, wallMs: number): Term {
    const known = this.#months.get(timezone);
    if (known !== undefined && wallMs >= known.fromMs && wallMs < known.untilMs) return known;
    const term = termOf(budget, timezone, wallMs);
    if (this.#months.size >= MAX_TIMEZONES) this.#months.clear();
    const untilMs = Math.min(wallMs + REMEMBERED_MS, term.endsAtMs ?? Number.POSITIVE_INFINITY);
    this.#months.set(timezone, { ...term, fromMs: wallMs, untilMs });
    return term;
  }
}

const MAX_TIMEZONES = 1000;
