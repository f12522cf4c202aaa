"use client";

import Link from "next/link";
import { memo } from "react";
import { GroupMark } from "../../components/ui/group-mark";
import { PoolBar } from "../../components/ui/pool-bar";
import { Cell } from "../../components/ui/table";
import { Value } from "../../components/ui/value";
import { formatExact, formatWait } from "../../lib/format";
import { groupColors } from "../../lib/group-colors";
import { inUse, poolBand, UNROUTED_POOL } from "../../lib/pool-state";
import type { LivePool } from "../../queries/wire";
import { poolHref } from "./search-params";
import { StateBadge } from "./state-badge";

export interface PoolRowProps {
  pool: LivePool;
  isStale: boolean;
  rowIndex: number;
  group: string | null;
}

export const PoolRow = memo(function PoolRow({ pool, isStale, rowIndex, group }: Readonly<PoolRowProps>) {
  const used = inUse(pool);
  const band = poolBand(pool);
  const isOff = band === "no_servers";
  return (
    <tr aria-rowindex={rowIndex} data-row={pool.model} className="relative border-b last:border-b-0 hover:bg-subtle">
      <th scope="row" className="h-(--row) px-3 pl-4 text-left font-medium">
        <Link
          href={poolHref(pool.model, { group })}
          prefetch={false}
          data-row-link
          className="name line-clamp-2 leading-4 after:absolute after:inset-0"
          title={pool.model}
        >
          {pool.model}
        </Link>
        {pool.model === UNROUTED_POOL ? (
          <span className="block truncate text-micro font-normal text-text-3">unregistered model names</span>
        ) : null}
      </th>
      <Cell>
        <StateBadge band={band} queued={pool.queued} isStale={isStale} />
      </Cell>
      <Cell>{isOff ? <span className="text-micro text-text-3">not in totals</span> : <PoolBar pool={pool} />}</Cell>
      <Cell isNumber>
        <Value field="in_use" value={used} isExact />/<Value field="cap" value={pool.cap} isExact />
      </Cell>
      <Cell isNumber>
        <Value field="queued" value={pool.queued} className={pool.queued > 0 ? "font-medium" : "text-text-3"} />
      </Cell>
      <Cell isNumber>
        <Value field="oldest_wait_ms" value={pool.oldest_wait_ms} text={formatWait(pool.oldest_wait_ms)} />
      </Cell>
      <Cell isNumber>
        <Value
          field="tenants_below_share"
          value={pool.tenants_below_share}
          text={pool.tenants_below_share === 0 ? "-" : formatExact(pool.tenants_below_share)}
          missing="No tenant is below its share here"
          className={pool.tenants_below_share_urgent > 0 ? "font-medium" : "text-text-3"}
        />
      </Cell>
      <Cell className="hidden lg:table-cell">
        <GroupNames pool={pool} />
      </Cell>
    </tr>
  );
});

const SHOWN_GROUPS = 3;

function GroupNames({ pool }: Readonly<{ pool: LivePool }>) {
  const names = pool.groups.slice(0, SHOWN_GROUPS);
  if (names.length === 0) return <span className="text-text-3">-</span>;
  const more = pool.groups.length - names.length;
  const colors = groupColors(pool.groups);
  return (
    <span className="flex items-center gap-2.5 overflow-hidden whitespace-nowrap text-micro text-text-2">
      {names.map((group) => (
        <span key={group.name} className="flex min-w-0 items-center gap-1" title={group.name}>
          <GroupMark color={colors.get(group.name)} />
          <span className="name max-w-24 truncate">{group.name}</span>
        </span>
      ))}
      {more > 0 ? <span className="shrink-0">+{more}</span> : null}
    </span>
  );
}
