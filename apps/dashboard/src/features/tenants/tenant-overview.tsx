"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { BoostPill } from "../../components/ui/boost-pill";
import { BudgetBar } from "../../components/ui/budget-bar";
import { Panel } from "../../components/ui/panel";
import { StandingBadge } from "../../components/ui/standing-badge";
import { Cell, HeadCell, Table, TableFrame } from "../../components/ui/table";
import { Value } from "../../components/ui/value";
import { budgetUse } from "../../lib/budget";
import { formatCount, formatDayTime, formatExact, formatWait } from "../../lib/format";
import { usePreferences } from "../../lib/preferences";
import { usageSummaryQuery } from "../../queries/usage";
import type { Live, Tenant } from "../../queries/wire";

/** The tenant in every pool where it has work, its budgets, and its last hour. */
export function TenantOverview({ tenant, live }: Readonly<{ tenant: Tenant; live: Live | undefined }>) {
  return (
    <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <TenantPools tenant={tenant} live={live} />
      <div className="space-y-4">
        <LastHour tenantId={tenant.id} />
        <Budgets tenant={tenant} />
      </div>
    </div>
  );
}

function TenantPools({ tenant, live }: Readonly<{ tenant: Tenant; live: Live | undefined }>) {
  const rows = (live?.pools ?? []).flatMap((pool) => {
    const here = pool.tenants?.find((one) => one.tenant_id === tenant.id);
    return here === undefined ? [] : [{ pool: pool.model, here }];
  });
  return (
    <Panel title="In the pools now" bodyClassName="p-0">
      {live !== undefined && rows.length === 0 ? (
        <p className="px-4 py-6 text-small text-text-2">It has no work in any pool.</p>
      ) : null}
      {rows.length > 0 ? (
        <TableFrame>
          <Table aria-label="Pools where it has work" isStacked>
            <thead>
              <tr>
                <HeadCell>Pool</HeadCell>
                <HeadCell isNumber>Share</HeadCell>
                <HeadCell isNumber>In use</HeadCell>
                <HeadCell isNumber>Waiting</HeadCell>
                <HeadCell isNumber>Oldest</HeadCell>
                <HeadCell isNumber>Cap here</HeadCell>
                <HeadCell>Standing</HeadCell>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ pool, here }) => (
                <tr key={pool} data-pool={pool} className="border-b last:border-b-0 hover:bg-subtle">
                  <th scope="row" className="h-(--row) px-3 pl-4 text-left font-medium">
                    <Link
                      className="name hover:underline"
                      href={`/fairshare?pool=${encodeURIComponent(pool)}&tenant=${tenant.id}`}
                    >
                      {pool}
                    </Link>{" "}
                    <BoostPill boost={here.boost} />
                  </th>
                  <Cell isNumber label="Share">
                    <Value field="slot_share" value={here.slot_share} isExact />
                  </Cell>
                  <Cell isNumber label="In use">
                    <Value field="in_use" value={here.in_flight + here.held} isExact />
                  </Cell>
                  <Cell isNumber label="Waiting">
                    <Value field="queued" value={here.queued} />
                  </Cell>
                  <Cell isNumber label="Oldest">
                    {formatWait(here.oldest_wait_ms)}
                  </Cell>
                  <Cell isNumber label="Cap here">
                    <Value field="max_in_flight" value={here.max_in_flight} isExact missing="No cap here" />
                  </Cell>
                  <Cell label="Standing">
                    <StandingBadge tenant={here} />
                  </Cell>
                </tr>
              ))}
            </tbody>
          </Table>
        </TableFrame>
      ) : null}
    </Panel>
  );
}

function LastHour({ tenantId }: Readonly<{ tenantId: string }>) {
  const total = useQuery(usageSummaryQuery({ tenant_id: tenantId, by: "outcome" })).data?.total;
  const figures = [
    { label: "Served at once", value: formatCount(total?.fast) },
    { label: "Waited, then served", value: formatCount(total?.queued) },
    { label: "Timed out", value: formatCount(total?.timed_out) },
    { label: "Refused", value: formatCount(total?.outcomes.refused) },
    { label: "Wait, half under", value: formatWait(total?.p50_wait_ms) },
    { label: "Wait, 95 % under", value: formatWait(total?.p95_wait_ms) },
  ];
  return (
    <Panel title="Last hour" bodyClassName="p-0">
      <dl className="grid grid-cols-2 sm:grid-cols-3">
        {figures.map((figure) => (
          <div key={figure.label} className="px-4 py-2.5">
            <dt className="text-micro text-text-3">{figure.label}</dt>
            <dd className="num text-h2">{figure.value}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}

function Budgets({ tenant }: Readonly<{ tenant: Tenant }>) {
  const { clock } = usePreferences();
  const use = budgetUse(tenant);
  return (
    <Panel title="Budgets" bodyClassName="space-y-2 p-4 text-small">
      <p className="num">
        {tenant.tokens_per_minute === null
          ? "No limit on tokens per minute."
          : `${formatExact(tenant.tokens_per_minute)} tokens per minute; over it requests get 429.`}
      </p>
      {use === null ? (
        <p className="text-text-2">No term budget.</p>
      ) : (
        <p className="flex flex-wrap items-center gap-3">
          <BudgetBar use={use} />
          <span className="num">{use.text}</span>
          {use.resetsTsMs === null ? null : (
            <span className="text-text-2">begins anew {formatDayTime(use.resetsTsMs, clock)}</span>
          )}
        </p>
      )}
    </Panel>
  );
}
