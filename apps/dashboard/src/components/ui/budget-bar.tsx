import { BUDGET_NEAR, type BudgetUse } from "../../lib/budget";
import { formatPercent } from "../../lib/format";

/** How much of a term budget is used. */
export function BudgetBar({ use }: Readonly<{ use: BudgetUse | null }>) {
  if (use === null) return <span className="text-text-3">-</span>;
  const color = use.part >= BUDGET_NEAR ? "var(--watch)" : "var(--open)";
  return (
    <span className="flex items-center gap-2 whitespace-nowrap" title={use.text}>
      <svg role="img" aria-label={`${use.text} used`} className="h-2 w-16 rounded-sm">
        <rect width="100%" height="100%" rx="2" fill="var(--line)" />
        <rect width={`${Math.min(1, use.part) * 100}%`} height="100%" rx="2" fill={color} />
      </svg>
      <span className="num text-micro text-text-2">{formatPercent(use.part)}</span>
    </span>
  );
}
