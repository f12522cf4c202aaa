"use client";

import Link from "next/link";
import { memo } from "react";
import { Cell } from "../../components/ui/table";
import { Value } from "../../components/ui/value";
import { formatExact, formatWait } from "../../lib/format";
import { inUse, poolBand, UNROUTED_POOL } from "../../lib/pool-state";
import type { PoolRowProps } from "./pool-row";
import { poolHref } from "./search-params";
import { StateBadge } from "./state-badge";

/** A pool on a phone: all that a wide row says of its state, on two lines. */
export const NarrowPoolRow = memo(function NarrowPoolRow({ pool, isStale, rowIndex, group }: Readonly<PoolRowProps>) {
  const below = pool.tenants_below_share;
  return (
    <tr aria-rowindex={rowIndex} data-row={pool.model} className="relative border-b last:border-b-0 hover:bg-subtle">
      <th scope="row" className="h-17 overflow-hidden px-3 pl-4 text-left font-medium">
        <Link
          href={poolHref(pool.model, { group })}
          prefetch={false}
          data-row-link
          className="name line-clamp-2 leading-4 after:absolute after:inset-0"
          title={pool.model === UNROUTED_POOL ? "Unregistered model names" : pool.model}
        >
          {pool.model}
        </Link>
        <StateBadge band={poolBand(pool)} queued={pool.queued} isStale={isStale} />
      </th>
      <Cell isNumber className="px-1">
        <Value field="in_use" value={inUse(pool)} isExact />/<Value field="cap" value={pool.cap} isExact />
        <span className="block text-micro text-text-2">
          <Value field="tenants_below_share" value={below} text={below === 0 ? " " : `${formatExact(below)} below`} />
        </span>
      </Cell>
      <Cell isNumber className="pl-1">
        <Value field="queued" value={pool.queued} className={pool.queued > 0 ? "font-medium" : "text-text-3"} />
        <span className="block text-micro text-text-2">
          <Value
            field="oldest_wait_ms"
            value={pool.oldest_wait_ms}
            text={pool.oldest_wait_ms === null ? " " : `oldest ${formatWait(pool.oldest_wait_ms)}`}
          />
        </span>
      </Cell>
    </tr>
  );
});
