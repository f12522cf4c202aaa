"use client";

import { ChevronRight } from "lucide-react";
import Link from "next/link";
import { memo } from "react";
import { Badge } from "../../components/ui/badge";
import { BoostPill } from "../../components/ui/boost-pill";
import { GroupMark } from "../../components/ui/group-mark";
import { Cell } from "../../components/ui/table";
import { Value } from "../../components/ui/value";
import { cn } from "../../lib/cn";
import { formatWait } from "../../lib/format";
import type { LiveTenant } from "../../queries/wire";
import { inUse } from "./logic/pool-state";
import { ordinal, standing, standingLabel } from "./logic/standing";
import { poolHref } from "./search-params";
import { WhyTip } from "./why-tip";

interface TenantRowProps {
  pool: string;
  tenant: LiveTenant;
  color: number | null;
  isExpanded: boolean;
  hasKeys: boolean;
  rowIndex: number;
  onExpand: (tenantId: string) => void;
  onLight: (tenantId: string | null) => void;
}

export const TenantRow = memo(function TenantRow(props: Readonly<TenantRowProps>) {
  const { pool, tenant, color, isExpanded, hasKeys, rowIndex, onExpand, onLight } = props;
  const id = tenant.tenant_id;
  return (
    <tr
      aria-rowindex={rowIndex}
      data-row={id}
      data-tenant={tenant.name}
      className="border-b hover:bg-subtle"
      onPointerEnter={() => onLight(id)}
      onPointerLeave={() => onLight(null)}
      onFocus={() => onLight(id)}
      onBlur={() => onLight(null)}
      onKeyDown={(event) => {
        if (event.key !== " " || !hasKeys || !(event.target as HTMLElement).matches("[data-row-link]")) return;
        event.preventDefault();
        onExpand(id);
      }}
    >
      <th scope="row" className="h-(--row) px-3 pl-2 text-left font-normal">
        <span className="flex items-center gap-1">
          <button
            type="button"
            aria-expanded={isExpanded}
            aria-label={`Keys of ${tenant.name}`}
            disabled={!hasKeys}
            onClick={() => onExpand(id)}
            className="grid size-6 shrink-0 place-items-center rounded-control text-text-3 hover:text-text disabled:invisible"
          >
            <ChevronRight className={cn("size-4", isExpanded && "rotate-90")} aria-hidden="true" />
          </button>
          <Link
            href={poolHref(pool, { tenant: id })}
            scroll={false}
            data-row-link
            className="name min-w-0 truncate font-medium hover:underline"
            title={tenant.name}
          >
            {tenant.name}
          </Link>
          <BoostPill boost={tenant.boost} />
        </span>
      </th>
      <Cell className="hidden text-text-2 sm:table-cell">
        <span className="flex items-center gap-1.5">
          <GroupMark color={color} />
          <span className="name truncate">{tenant.group}</span>
        </span>
      </Cell>
      <Cell isNumber>
        <Value field="slot_share" value={tenant.slot_share} isExact />
      </Cell>
      <Cell isNumber>
        <Value field="in_use" value={inUse(tenant)} isExact className="font-medium" />
        {tenant.held > 0 ? <span className="text-text-3"> ({tenant.held} held)</span> : null}
      </Cell>
      <Cell isNumber>
        <Value field="queued" value={tenant.queued} className={tenant.queued > 0 ? "font-medium" : "text-text-3"} />
      </Cell>
      <Cell isNumber>
        <Value field="oldest_wait_ms" value={tenant.oldest_wait_ms} text={formatWait(tenant.oldest_wait_ms)} />
      </Cell>
      <Cell isNumber>
        <Value
          field="position"
          value={tenant.position}
          text={tenant.position === null ? "-" : ordinal(tenant.position)}
          missing="Nothing of it waits"
        />
      </Cell>
      <Cell className="whitespace-nowrap">
        <span className="flex items-center gap-1">
          <StandingBadge tenant={tenant} />
          {tenant.queued > 0 ? <WhyTip pool={pool} tenant={tenant} /> : null}
        </span>
      </Cell>
    </tr>
  );
});

function StandingBadge({ tenant }: Readonly<{ tenant: LiveTenant }>) {
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
  return <span className={cn("px-2 text-micro", kind === "within" ? "text-text-3" : "text-text-2")}>{word}</span>;
}
