/** Usage as the page groups and orders it. */
import { formatCount, formatWait, plural } from "../../../lib/format";

export const RANGES = { "15m": 900_000, "1h": 3_600_000, "24h": 86_400_000, "7d": 604_800_000 } as const;
export type Range = keyof typeof RANGES;

export const DIMENSIONS = ["tenant,admission", "tenant", "model", "key", "group", "outcome"] as const;
export type Dimension = (typeof DIMENSIONS)[number];

export const DIMENSION_LABELS: Readonly<Record<Dimension, string>> = {
  "tenant,admission": "Tenant and admission",
  tenant: "Tenant",
  model: "Model",
  key: "Key",
  group: "Group",
  outcome: "Outcome",
};

interface Totals {
  readonly requests: number;
  readonly fast: number;
  readonly queued: number;
  readonly timed_out: number;
  readonly p95_wait_ms: number | null;
  readonly outcomes: { readonly refused: number };
}

/** Four figures that sum over all rows; a wait that ran out is only ever "timed out". */
export function usageFigures(total: Totals): { label: string; value: number; field: string }[] {
  return [
    { label: "Served at once", value: total.fast, field: "fast" },
    { label: "Waited, then served", value: total.queued, field: "queued" },
    { label: "Timed out", value: total.timed_out, field: "timed_out" },
    { label: "Refused", value: total.outcomes.refused, field: "refused" },
  ];
}

export function usageAnswer(total: Totals): string {
  if (total.requests === 0) return "No requests in this time.";
  const timedOut = total.timed_out > 0 ? `, ${formatCount(total.timed_out)} timed out` : "";
  return `${plural(total.requests, "request")}: ${formatCount(total.fast)} at once, ${formatCount(total.queued)} waited${timedOut}. For 95 % the wait was under ${formatWait(total.p95_wait_ms)}.`;
}

interface NamedRow {
  readonly tenant_id?: string | null | undefined;
  readonly tenant_name?: string | null | undefined;
  readonly key_id?: string | null | undefined;
  readonly key_name?: string | null | undefined;
  readonly model?: string | null | undefined;
  readonly group?: string | null | undefined;
  readonly admission?: string | undefined;
  readonly outcome?: string | undefined;
}

/** What a row is about, and its other half where it has two. */
export function rowName(row: NamedRow, by: Dimension): { readonly main: string; readonly second: string | null } {
  const tenant = row.tenant_name ?? row.tenant_id ?? "unknown tenant";
  switch (by) {
    case "tenant,admission":
      return { main: tenant, second: row.admission ?? null };
    case "tenant":
      return { main: tenant, second: null };
    case "key":
      return { main: row.key_name ?? row.key_id ?? "unknown key", second: null };
    case "model":
      return { main: row.model ?? "unknown model", second: null };
    case "group":
      return { main: row.group ?? "no group", second: null };
    case "outcome":
      return { main: (row.outcome ?? "").replaceAll("_", " "), second: null };
  }
}

export function rowId(row: NamedRow): string {
  return [row.tenant_id, row.key_id, row.model, row.group, row.admission, row.outcome]
    .map((part) => part ?? "")
    .join(" ");
}
