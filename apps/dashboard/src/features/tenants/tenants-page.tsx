"use client";

import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { parseAsBoolean, parseAsString, useQueryStates } from "nuqs";
import { useMemo } from "react";
import { PageHeader } from "../../components/layout/page-header";
import { CutNote } from "../../components/table/cut-note";
import { ObjectTable } from "../../components/table/object-table";
import { TextFilter } from "../../components/table/text-filter";
import { Toggle } from "../../components/table/toggle";
import { useSorting } from "../../components/table/use-sorting";
import { Button } from "../../components/ui/button";
import { Failure } from "../../components/ui/failure";
import { INPUT } from "../../components/ui/field";
import { Empty } from "../../components/ui/notice";
import { Panel } from "../../components/ui/panel";
import { SkeletonRows } from "../../components/ui/skeleton";
import { cn } from "../../lib/cn";
import { groupColors } from "../../lib/group-colors";
import { NEEDS_ADMIN, useSession } from "../../lib/session";
import { useNow } from "../../lib/use-now";
import { boostsQuery } from "../../queries/boosts";
import { useLiveFull } from "../../queries/live-full";
import { groupsQuery, tenantsQuery } from "../../queries/objects";
import { usageSummaryQuery } from "../../queries/usage";
import { matchesTenant, type TenantRow, tenantRows, tenantsAnswer } from "./logic/tenant-rows";
import { tenantColumns } from "./tenant-columns";

const NewTenant = dynamic(() => import("./new-tenant").then((module) => module.NewTenant), { ssr: false });

const DAY_MS = 86_400_000;
const flag = parseAsBoolean.withDefault(false).withOptions({ history: "replace" });
const params = {
  q: parseAsString.withDefault("").withOptions({ history: "replace", throttleMs: 200 }),
  group: parseAsString.withOptions({ history: "replace" }),
  suspended: flag,
  waiting: flag,
  budget: flag,
  boosted: flag,
  new: parseAsBoolean.withDefault(false),
};

/** Who waits, and who is near a limit. */
export function TenantsPage() {
  const { data, error, refetch } = useQuery(tenantsQuery());
  const live = useLiveFull();
  const boosts = useQuery(boostsQuery("active")).data;
  const minute = useNow(60_000);
  const from = minute === 0 ? undefined : new Date(minute - DAY_MS).toISOString();
  const usage = useQuery({
    ...usageSummaryQuery({ by: "tenant", limit: 1000, ...(from ? { from } : {}) }),
    enabled: from !== undefined,
  }).data;
  const [query, setQuery] = useQueryStates(params);
  const { isAdmin } = useSession();
  const rows = useMemo(
    () =>
      tenantRows({
        tenants: data?.items ?? [],
        live: live?.tenants ?? null,
        boosts: boosts?.items ?? [],
        usage: usage ?? null,
      }),
    [data, live, boosts, usage],
  );
  return (
    <>
      <PageHeader
        title="Tenants"
        answer={data ? tenantsAnswer(rows) : ""}
        actions={
          <Button
            variant="primary"
            disabled={!isAdmin}
            title={isAdmin ? undefined : NEEDS_ADMIN}
            onClick={() => void setQuery({ new: true })}
          >
            Add a tenant
          </Button>
        }
      />
      <Panel label="Tenants" bodyClassName="p-0">
        {error && !data ? (
          <Failure what="Cannot read the tenants" error={error} onRetry={() => void refetch()} />
        ) : null}
        {data ? <TenantList rows={rows} /> : error ? null : <SkeletonRows rows={6} label="Reading the tenants" />}
        {data ? <CutNote list={data} what="tenants" /> : null}
      </Panel>
      {query.new && isAdmin ? <NewTenant onClose={() => void setQuery({ new: null })} /> : null}
    </>
  );
}

const TOGGLES = [
  { key: "waiting", label: "Waiting" },
  { key: "budget", label: "Near a budget" },
  { key: "boosted", label: "Boosted" },
  { key: "suspended", label: "Suspended" },
] as const;

function TenantList({ rows }: Readonly<{ rows: readonly TenantRow[] }>) {
  const [query, setQuery] = useQueryStates(params);
  const [sorting, setSorting] = useSorting({ key: "name", direction: "asc" });
  const groups = useQuery(groupsQuery()).data?.items ?? [];
  const colors = useMemo(() => groupColors(groups), [groups]);
  const columns = useMemo(() => tenantColumns(colors), [colors]);
  const shown = useMemo(
    () =>
      rows.filter((row) =>
        matchesTenant(row, {
          text: query.q,
          group: query.group,
          isSuspended: query.suspended,
          isWaiting: query.waiting,
          isNearBudget: query.budget,
          isBoosted: query.boosted,
        }),
      ),
    [rows, query],
  );
  if (rows.length === 0)
    return (
      <Empty title="No tenants yet">
        A tenant is a team or product with keys of its own; weights say how it shares pools with others.
      </Empty>
    );
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 p-4">
        <TextFilter label="Filter by name" value={query.q} onValue={(q) => void setQuery({ q: q === "" ? null : q })} />
        <select
          aria-label="Group"
          value={query.group ?? ""}
          onChange={(event) => void setQuery({ group: event.target.value || null })}
          className={cn(INPUT, "w-40")}
        >
          <option value="">Any group</option>
          {groups.map((group) => (
            <option key={group.name} value={group.name}>
              {group.name}
            </option>
          ))}
        </select>
        {TOGGLES.map((toggle) => (
          <Toggle
            key={toggle.key}
            label={toggle.label}
            isOn={query[toggle.key]}
            onToggle={() => void setQuery({ [toggle.key]: query[toggle.key] ? null : true })}
          />
        ))}
      </div>
      {shown.length === 0 ? (
        <Empty
          title="No tenant matches"
          action={
            <Button
              onClick={() =>
                void setQuery({ q: null, group: null, suspended: null, waiting: null, budget: null, boosted: null })
              }
            >
              Clear the filters
            </Button>
          }
        />
      ) : (
        <ObjectTable
          label="Tenants"
          rows={shown}
          columns={columns}
          idOf={(row) => row.tenant.id}
          sorting={sorting}
          onSorting={setSorting}
        />
      )}
    </>
  );
}
