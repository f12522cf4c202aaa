"use client";

import { memo } from "react";
import { BoostPill } from "../../components/ui/boost-pill";
import { GroupMark } from "../../components/ui/group-mark";
import { StandingBadge } from "../../components/ui/standing-badge";
import { Cell } from "../../components/ui/table";
import { Value } from "../../components/ui/value";
import { formatExact, formatWait } from "../../lib/format";
import { inUse } from "../../lib/pool-state";
import { ordinal } from "../../lib/standing";
import { TenantName } from "./tenant-name";
import { rowProps, type TenantRowProps } from "./tenant-row";
import { WhyTip } from "./why-tip";

/** A tenant on a phone: all that a wide row says, on two lines. */
export const NarrowTenantRow = memo(function NarrowTenantRow(props: Readonly<TenantRowProps>) {
  const { tenant } = props;
  const { position, oldest_wait_ms: oldestMs } = tenant;
  const wait = [position === null ? "" : ordinal(position), oldestMs === null ? "" : formatWait(oldestMs)];
  return (
    <tr {...rowProps(props)}>
      <th scope="row" className="h-17 overflow-hidden pr-1 pl-2 text-left font-normal">
        <span className="flex items-center justify-between">
          <span className="min-w-0">
            <TenantName {...props} isBare />
          </span>
          <WhyTip pool={props.pool} tenant={tenant} />
        </span>
        <span className="ml-1.5 flex items-center gap-1 whitespace-nowrap">
          <span title={`Group ${tenant.group}`} className="flex">
            <GroupMark color={props.color} />
          </span>
          <StandingBadge tenant={tenant} />
          <BoostPill boost={tenant.boost} isShort />
        </span>
      </th>
      <Cell isNumber className="px-1">
        <Value field="in_use" value={inUse(tenant)} isExact className="font-medium" />
        <span className="block text-micro text-text-2">
          of <Value field="slot_share" value={tenant.slot_share} isExact />
          {tenant.slot_share === 0 ? " (as 1)" : ""}
          {tenant.held > 0 ? `, ${formatExact(tenant.held)} held` : tenant.slot_share === 0 ? "" : " share"}
        </span>
      </Cell>
      <Cell isNumber className="pl-1">
        <Value field="queued" value={tenant.queued} className={tenant.queued > 0 ? "font-medium" : "text-text-3"} />
        <span className="block text-micro text-text-2">
          <Value field="oldest_wait_ms" value={oldestMs} text={wait.filter(Boolean).join(", ") || " "} />
        </span>
      </Cell>
    </tr>
  );
});
