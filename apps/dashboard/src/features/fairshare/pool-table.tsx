"use client";

import { useMemo, useRef } from "react";
import { OrderPill } from "../../components/ui/order-pill";
import { SpacerRow } from "../../components/ui/spacer-row";
import { Table, TableFrame } from "../../components/ui/table";
import { POOL_BANDS, type PoolLoad } from "../../lib/pool-state";
import { useCalmOrder } from "../../lib/use-calm-order";
import { useIsNarrow } from "../../lib/use-is-narrow";
import { useRowKeys } from "../../lib/use-row-keys";
import { useVirtualRows } from "../../lib/use-virtual-rows";
import type { LivePool } from "../../queries/wire";
import { type ConfirmedBands, confirmBands, listedBand } from "./logic/confirmed-bands";
import { NARROW_ROW_PX } from "./logic/narrow-row";
import { comparePools, type PoolSortKey, type SortDirection } from "./logic/pool-sort";
import { NarrowPoolRow } from "./narrow-pool-row";
import { NarrowPoolHead, PoolHead, PoolSort } from "./pool-head";
import { PoolRow } from "./pool-row";

interface PoolTableProps {
  pools: readonly LivePool[];
  /** Rises with every sample read; a band counts as confirmed by the next one. */
  sample: number;
  isStale: boolean;
  sort: PoolSortKey;
  direction: SortDirection | null;
  onSort: (sort: PoolSortKey) => void;
  /** Names what the list is narrowed to: another list is sorted at once. */
  filter: string;
  /** The group the list is narrowed to; kept when a pool opens. */
  group: string | null;
}

export function PoolTable(props: Readonly<PoolTableProps>) {
  const { pools, sample, isStale, sort, direction, onSort, filter, group } = props;
  const bands = useConfirmedBands(pools, sample);
  const shownDirection = direction ?? (sort === "name" ? "asc" : "desc");
  const wanted = useMemo(() => {
    const rank = (pool: PoolLoad) => POOL_BANDS.indexOf(listedBand(bands, pool));
    const by = { sort, direction: shownDirection, rank };
    return [...pools].sort((a, b) => comparePools(a, b, by)).map((pool) => pool.model);
  }, [pools, bands, sort, shownDirection]);
  const order = useCalmOrder(wanted, `${sort} ${shownDirection} ${filter}`);
  const byName = useMemo(() => new Map(pools.map((pool) => [pool.model, pool])), [pools]);
  const isNarrow = useIsNarrow();
  const rows = useVirtualRows(order.ids.length, isNarrow ? NARROW_ROW_PX : undefined);
  const rowKeys = useRowKeys();
  const Head = isNarrow ? NarrowPoolHead : PoolHead;
  const Row = isNarrow ? NarrowPoolRow : PoolRow;
  return (
    <div {...order.listProps} {...rowKeys} className="relative">
      <div className="flex items-center gap-2 px-4 pb-2 lg:absolute lg:-top-10 lg:right-0 lg:flex-row-reverse lg:p-0 lg:pr-4">
        <PoolSort sort={sort} onSort={onSort} />
        <span className="ml-auto">
          <OrderPill isVisible={order.hasPending} onApply={order.apply} />
        </span>
      </div>
      <TableFrame isFitting>
        <Table aria-rowcount={order.ids.length + 1} aria-label="Pools" className="table-fixed">
          <Head sort={sort} direction={shownDirection} onSort={onSort} />
          <tbody ref={rows.ref}>
            <SpacerRow heightPx={rows.topPx} />
            {order.ids.slice(rows.first, rows.last).map((name, offset) => {
              const pool = byName.get(name);
              const rowIndex = rows.first + offset + 2;
              // Keyed by place: a new order changes what rows say and moves no element.
              return pool === undefined ? null : (
                <Row key={rowIndex} pool={pool} isStale={isStale} rowIndex={rowIndex} group={group} />
              );
            })}
            <SpacerRow heightPx={rows.bottomPx} />
          </tbody>
        </Table>
      </TableFrame>
    </div>
  );
}

function useConfirmedBands(pools: readonly LivePool[], sample: number): ConfirmedBands {
  const state = useRef<{ sample: number; bands: ConfirmedBands }>({ sample: -1, bands: new Map() });
  if (state.current.sample !== sample) {
    state.current = { sample, bands: confirmBands(state.current.bands, pools) };
  }
  return state.current.bands;
}
