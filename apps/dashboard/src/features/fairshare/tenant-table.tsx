"use client";

import { useQueryState } from "nuqs";
import { useCallback, useMemo } from "react";
import { OrderPill } from "../../components/ui/order-pill";
import { SpacerRow } from "../../components/ui/spacer-row";
import { Table, TableFrame } from "../../components/ui/table";
import { cn } from "../../lib/cn";
import { plural } from "../../lib/format";
import { groupColors } from "../../lib/group-colors";
import { orderTenants } from "../../lib/standing";
import { useCalmOrder } from "../../lib/use-calm-order";
import { useIsNarrow } from "../../lib/use-is-narrow";
import { useRowKeys } from "../../lib/use-row-keys";
import { useVirtualRows } from "../../lib/use-virtual-rows";
import type { LiveKey, LivePool, LiveTenant } from "../../queries/wire";
import { KeyRow } from "./key-row";
import { NARROW_ROW_PX } from "./logic/narrow-row";
import { waitingWords } from "./logic/waiting-words";
import { NarrowTenantRow } from "./narrow-tenant-row";
import { poolParams } from "./search-params";
import { NarrowTenantHead, TenantHead } from "./tenant-head";
import { TenantRow } from "./tenant-row";

interface TenantTableProps {
  pool: LivePool;
  /** Only tenants of this group, or this tenant alone; null: all. */
  selected: string | null;
  onLight: (tenantId: string | null) => void;
}

type Row = { readonly tenant: LiveTenant } | { readonly entry: LiveKey };

export function TenantTable({ pool, selected, onLight }: Readonly<TenantTableProps>) {
  const [expanded, setExpanded] = useQueryState("expand", poolParams.expand);
  const tenants = useMemo(() => pool.tenants ?? [], [pool]);
  const wanted = useMemo(() => {
    const shown = tenants.filter(
      (tenant) => selected === null || tenant.group === selected || tenant.tenant_id === selected,
    );
    return orderTenants(shown).map((tenant) => tenant.tenant_id);
  }, [tenants, selected]);
  const order = useCalmOrder(wanted, selected ?? "all");
  const rows = useRows(pool, order.ids, expanded);
  const isNarrow = useIsNarrow();
  const view = useVirtualRows(rows.length, isNarrow ? NARROW_ROW_PX : undefined);
  const Head = isNarrow ? NarrowTenantHead : TenantHead;
  const Row = isNarrow ? NarrowTenantRow : TenantRow;
  const colors = useMemo(() => groupColors(pool.groups), [pool]);
  const withKeys = useMemo(() => new Set((pool.keys ?? []).map((entry) => entry.tenant_id)), [pool]);
  const rowKeys = useRowKeys();
  const onExpand = useCallback(
    (id: string) =>
      void setExpanded((open) => (open.includes(id) ? open.filter((other) => other !== id) : [...open, id])),
    [setExpanded],
  );
  const cut = pool.tenants_total - tenants.length;
  return (
    <div {...order.listProps} {...rowKeys} className="relative">
      <span className="absolute -top-9 right-4">
        <OrderPill isVisible={order.hasPending} onApply={order.apply} />
      </span>
      <p className="num px-4 pt-2.5 pb-1 text-small text-text-2">{waitingWords(pool)}</p>
      <TableFrame isFitting={isNarrow}>
        <Table
          aria-label="Tenants"
          aria-rowcount={rows.length + 1}
          className={cn("table-fixed", !isNarrow && "min-w-[52rem]")}
        >
          <Head />
          <tbody ref={view.ref}>
            <SpacerRow heightPx={view.topPx} />
            {rows.slice(view.first, view.last).map((row, offset) => {
              const rowIndex = view.first + offset + 2;
              if ("entry" in row)
                return <KeyRow key={`key ${rowIndex}`} entry={row.entry} rowIndex={rowIndex} isNarrow={isNarrow} />;
              const id = row.tenant.tenant_id;
              return (
                <Row
                  key={`tenant ${rowIndex}`}
                  pool={pool.model}
                  tenant={row.tenant}
                  color={colors.get(row.tenant.group) ?? null}
                  isExpanded={expanded.includes(id)}
                  hasKeys={withKeys.has(id)}
                  rowIndex={rowIndex}
                  onExpand={onExpand}
                  onLight={onLight}
                />
              );
            })}
            <SpacerRow heightPx={view.bottomPx} />
          </tbody>
        </Table>
      </TableFrame>
      {cut > 0 ? (
        <p className="border-t px-4 py-2 text-small text-text-2">
          The busiest {plural(tenants.length, "tenant")} are listed; totals include all {pool.tenants_total}.
        </p>
      ) : null}
    </div>
  );
}

/** Tenants in the order shown, each opened one followed by its keys. */
function useRows(pool: LivePool, ids: readonly string[], expanded: readonly string[]): Row[] {
  return useMemo(() => {
    const tenants = new Map((pool.tenants ?? []).map((tenant) => [tenant.tenant_id, tenant]));
    return ids.flatMap((id): Row[] => {
      const tenant = tenants.get(id);
      if (tenant === undefined) return [];
      const keys = expanded.includes(id) ? (pool.keys ?? []).filter((entry) => entry.tenant_id === id) : [];
      return [{ tenant }, ...keys.map((entry) => ({ entry }))];
    });
  }, [pool, ids, expanded]);
}
