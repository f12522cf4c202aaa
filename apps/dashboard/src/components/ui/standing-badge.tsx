import { cn } from "../../lib/cn";
import { standing, standingLabel } from "../../lib/standing";
import type { LiveTenant } from "../../queries/wire";
import { Badge } from "./badge";

/** How a tenant stands in a pool; only Below share stands out. */
export function StandingBadge({ tenant }: Readonly<{ tenant: LiveTenant }>) {
  const kind = standing(tenant);
  const word = (
    <span data-field="standing" data-value={kind}>
      {standingLabel(tenant)}
    </span>
  );
  if (kind === "below") {
    return (
      <Badge shape="half_diamond" tone="below">
        {word}
      </Badge>
    );
  }
  return (
    <span className={cn("whitespace-nowrap text-micro", kind === "within" ? "text-text-3" : "text-text-2")}>
      {word}
    </span>
  );
}
