"use client";

import { useMemo, useRef } from "react";
import { OrderPill } from "../../components/ui/order-pill";
import { SpacerRow } from "../../components/ui/spacer-row";
import { HeadCell, SortCell, Table, TableFrame } from "../../components/ui/table";
import { useCalmOrder } from "../../lib/use-calm-order";
import { useRowKeys } from "../../lib/use-row-keys";
import { useVirtualRows } from "../../lib/use-virtual-rows";
import type { LivePool } from "../../queries/wire";
import { type ConfirmedBands, confirmBands, listedBand } from "./logic/confirmed-bands";
import { comparePools, type PoolSortKey, type SortDirection } from "./logic/pool-sort";
import { POOL_BANDS, type PoolLoad } from "./logic/pool-state";
import { PoolRow } from "./pool-row";

interface PoolTableProps {
  pools: readonly LivePool[];
  /** Rises with every sample read; a band counts as confirmed by the next one. */
  sample: number;
  isStale: boolean;
  sort: PoolSortKey;
  direction: SortDirection | null;
  onSort: (sort: PoolSortKey) => void;
  /** The group the list is narrowed to; kept when a pool opens. */
  group: string | null;
}

const COLUMNS = 8;

export function PoolTable({ pools, sample, isStale, sort, direction, onSort, group }: Readonly<PoolTableProps>) {
  const bands = useConfirmedBands(pools, sample);
  const shownDirection = direction ?? (sort === "name" ? "asc" : "desc");
  const wanted = useMemo(() => {
    const rank = (pool: PoolLoad) => POOL_BANDS.indexOf(listedBand(bands, pool));
    const by = { sort, direction: shownDirection, rank };
    return [...pools].sort((a, b) => comparePools(a, b, by)).map((pool) => pool.model);
  }, [pools, bands, sort, shownDirection]);
  const order = useCalmOrder(wanted, `${sort} ${shownDirection}`);
  const byName = useMemo(() => new Map(pools.map((pool) => [pool.model, pool])), [pools]);
  const rows = useVirtualRows(order.ids.length);
  const rowKeys = useRowKeys();
  const directionOf = (key: PoolSortKey) => (key === sort ? shownDirection : null);
  return (
    <div {...order.listProps} {...rowKeys} className="relative">
      <div className="flex min-h-7 justify-end px-4 lg:absolute lg:-top-9 lg:right-0">
        <OrderPill isVisible={order.hasPending} onApply={order.apply} />
      </div>
      <TableFrame>
        <Table aria-rowcount={order.ids.length + 1} aria-label="Pools" className="min-w-[38rem] table-fixed">
          <thead>
            <tr aria-rowindex={1}>
              <SortCell
                className="w-32 sm:w-[22%]"
                label="Pool"
                direction={directionOf("name")}
                onSort={() => onSort("name")}
              />
              <HeadCell className="w-40 px-1 sm:w-48 sm:px-3">State</HeadCell>
              <SortCell
                className="hidden sm:table-cell"
                label="Use"
                direction={directionOf("fullest")}
                onSort={() => onSort("fullest")}
              />
              <HeadCell isNumber className="w-20 sm:w-24">
                In use
              </HeadCell>
              <SortCell
                className="w-24"
                label="Waiting"
                isNumber
                direction={directionOf("waiting")}
                onSort={() => onSort("waiting")}
              />
              <SortCell
                className="w-24"
                label="Oldest"
                isNumber
                direction={directionOf("oldest")}
                onSort={() => onSort("oldest")}
              />
              <HeadCell isNumber className="w-20" title="Tenants below their share">
                Below
              </HeadCell>
              <HeadCell className="hidden w-80 lg:table-cell">Groups</HeadCell>
            </tr>
          </thead>
          <tbody ref={rows.ref}>
            <SpacerRow heightPx={rows.topPx} columns={COLUMNS} />
            {order.ids.slice(rows.first, rows.last).map((name, offset) => {
              const pool = byName.get(name);
              const rowIndex = rows.first + offset + 2;
              // Keyed by place: a new order changes what rows say and moves no element.
              return pool === undefined ? null : (
                <PoolRow key={rowIndex} pool={pool} isStale={isStale} rowIndex={rowIndex} group={group} />
              );
            })}
            <SpacerRow heightPx={rows.bottomPx} columns={COLUMNS} />
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
