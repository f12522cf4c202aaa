"use client";

import { type KeyboardEvent, memo } from "react";
import { GroupMark } from "../../components/ui/group-mark";
import { StandingBadge } from "../../components/ui/standing-badge";
import { Cell } from "../../components/ui/table";
import { Value } from "../../components/ui/value";
import { formatWait } from "../../lib/format";
import { inUse } from "../../lib/pool-state";
import { ordinal } from "../../lib/standing";
import type { LiveTenant } from "../../queries/wire";
import { TenantName } from "./tenant-name";
import { WhyTip } from "./why-tip";

export interface TenantRowProps {
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
  const { pool, tenant, color } = props;
  return (
    <tr {...rowProps(props)}>
      <th scope="row" className="h-(--row) px-3 pl-2 text-left font-normal">
        <TenantName {...props} />
      </th>
      <Cell className="text-text-2">
        <span className="flex items-center gap-1.5">
          <GroupMark color={color} />
          <span className="name truncate">{tenant.group}</span>
        </span>
      </Cell>
      <Cell isNumber>
        <Value field="slot_share" value={tenant.slot_share} isExact />
        {tenant.slot_share === 0 ? <span className="text-text-3"> (as 1)</span> : null}
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
          <WhyTip pool={pool} tenant={tenant} />
        </span>
      </Cell>
    </tr>
  );
});

/** What every row of a tenant has: its identity, its slots lit while pointed at, and Space for its keys. */
export function rowProps({ tenant, hasKeys, rowIndex, onExpand, onLight }: Readonly<TenantRowProps>) {
  const id = tenant.tenant_id;
  return {
    "aria-rowindex": rowIndex,
    "data-row": id,
    "data-tenant": tenant.name,
    className: "border-b last:border-b-0 hover:bg-subtle",
    onPointerEnter: () => onLight(id),
    onPointerLeave: () => onLight(null),
    onFocus: () => onLight(id),
    onBlur: () => onLight(null),
    onKeyDown: (event: KeyboardEvent<HTMLTableRowElement>) => {
      if (event.key !== " " || !hasKeys || !(event.target as HTMLElement).matches("[data-row-link]")) return;
      event.preventDefault();
      onExpand(id);
    },
  };
}
