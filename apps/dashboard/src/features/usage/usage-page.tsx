"use client";

import { useQuery } from "@tanstack/react-query";
import { parseAsBoolean, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useMemo } from "react";
import { PageHeader } from "../../components/layout/page-header";
import { ObjectTable } from "../../components/table/object-table";
import { useSorting } from "../../components/table/use-sorting";
import { Button } from "../../components/ui/button";
import { Failure } from "../../components/ui/failure";
import { INPUT } from "../../components/ui/field";
import { Empty } from "../../components/ui/notice";
import { Panel } from "../../components/ui/panel";
import { Segmented } from "../../components/ui/segmented";
import { Skeleton, SkeletonRows } from "../../components/ui/skeleton";
import { Value } from "../../components/ui/value";
import { cn } from "../../lib/cn";
import { formatDuration } from "../../lib/format";
import { useNow } from "../../lib/use-now";
import { modelsQuery, tenantsQuery } from "../../queries/objects";
import { usageSummaryQuery } from "../../queries/usage";
import type { UsageSummary } from "../../queries/wire";
import {
  DIMENSION_LABELS,
  DIMENSIONS,
  type Dimension,
  RANGES,
  rowId,
  usageAnswer,
  usageFigures,
} from "./logic/usage-rows";
import { UsageChart } from "./usage-chart";
import { usageColumns } from "./usage-columns";

const replace = { history: "replace" as const };
const params = {
  range: parseAsStringLiteral(["15m", "1h", "24h", "7d"]).withDefault("1h").withOptions(replace),
  by: parseAsStringLiteral(DIMENSIONS).withDefault("tenant,admission").withOptions(replace),
  tenant: parseAsString.withOptions(replace),
  model: parseAsString.withOptions(replace),
  key: parseAsString.withOptions(replace),
  sql: parseAsBoolean.withDefault(false).withOptions(replace),
};

const STEP_MS = 30_000;

/** How requests fared: at once, after a wait, or not at all; and who waited longest. */
export function UsagePage() {
  const [query, setQuery] = useQueryStates(params);
  const nowMs = useNow(STEP_MS);
  const filters = useMemo(() => {
    const from = new Date(nowMs - RANGES[query.range]).toISOString();
    return {
      from,
      ...(query.tenant ? { tenant_id: query.tenant } : {}),
      ...(query.model ? { model: query.model } : {}),
      ...(query.key ? { key_id: query.key } : {}),
    };
  }, [nowMs, query.range, query.tenant, query.model, query.key]);
  const { data, error, refetch } = useQuery({
    ...usageSummaryQuery({ by: query.by, limit: 1000, ...filters }),
    enabled: nowMs > 0,
  });
  const csv = new URLSearchParams(filters as Record<string, string>);
  return (
    <>
      <PageHeader
        title="Usage"
        answer={data ? `${usageAnswer(data.total)}${lagWords(data, nowMs)}` : ""}
        actions={
          <>
            <Segmented
              label="How far back"
              value={query.range}
              options={RANGE_OPTIONS}
              onValue={(range) => void setQuery({ range })}
            />
            <Button asChild>
              <a href={`/api/v1/usage/export.csv?${csv.toString()}`} download="usage.csv">
                CSV
              </a>
            </Button>
          </>
        }
      />
      <div className="space-y-4">
        {data ? <Figures summary={data} /> : error ? null : <Skeleton className="h-20" />}
        <UsageChart filters={filters} isReady={nowMs > 0} rangeMs={RANGES[query.range]} nowMs={nowMs} />
        <Panel label="Usage" bodyClassName="p-0">
          <Filters />
          {error && !data ? (
            <Failure what="Cannot read the usage" error={error} onRetry={() => void refetch()} />
          ) : null}
          {data ? (
            <UsageTable summary={data} by={query.by} />
          ) : error ? null : (
            <SkeletonRows rows={6} label="Reading the usage" />
          )}
        </Panel>
        {data && query.sql ? (
          <pre className="overflow-x-auto rounded-panel border bg-subtle p-4 font-mono text-micro">{data.sql}</pre>
        ) : null}
        {data ? (
          <button
            type="button"
            className="link text-small"
            aria-expanded={query.sql}
            onClick={() => void setQuery({ sql: query.sql ? null : true })}
          >
            {query.sql ? "Hide the query" : "Show the query"}
          </button>
        ) : null}
      </div>
    </>
  );
}

const RANGE_OPTIONS = [
  { value: "15m", label: "15 min" },
  { value: "1h", label: "1 h" },
  { value: "24h", label: "24 h" },
  { value: "7d", label: "7 d" },
] as const;

function Filters() {
  const [query, setQuery] = useQueryStates(params);
  const tenants = useQuery(tenantsQuery()).data?.items ?? [];
  const models = useQuery(modelsQuery()).data?.items ?? [];
  return (
    <div className="flex flex-wrap items-center gap-2 p-4">
      <select
        aria-label="Grouped by"
        value={query.by}
        onChange={(event) => void setQuery({ by: event.target.value as Dimension })}
        className={cn(INPUT, "w-52")}
      >
        {DIMENSIONS.map((dimension) => (
          <option key={dimension} value={dimension}>
            By {DIMENSION_LABELS[dimension].toLowerCase()}
          </option>
        ))}
      </select>
      <select
        aria-label="Tenant"
        value={query.tenant ?? ""}
        onChange={(event) => void setQuery({ tenant: event.target.value || null })}
        className={cn(INPUT, "w-44")}
      >
        <option value="">Any tenant</option>
        {tenants.map((tenant) => (
          <option key={tenant.id} value={tenant.id}>
            {tenant.name}
          </option>
        ))}
      </select>
      <select
        aria-label="Model"
        value={query.model ?? ""}
        onChange={(event) => void setQuery({ model: event.target.value || null })}
        className={cn(INPUT, "w-44")}
      >
        <option value="">Any model</option>
        {models.map((model) => (
          <option key={model.id} value={model.name}>
            {model.name}
          </option>
        ))}
      </select>
    </div>
  );
}

function Figures({ summary }: Readonly<{ summary: UsageSummary }>) {
  return (
    <dl className="grid grid-cols-2 overflow-hidden rounded-panel border bg-card md:grid-cols-4">
      {usageFigures(summary.total).map((figure) => (
        <div key={figure.field} className="-mt-px -ml-px border-t border-l px-4 py-3">
          <dt className="text-micro text-text-3">{figure.label}</dt>
          <dd className="mt-0.5">
            <Value field={figure.field} value={figure.value} className="text-display" />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function UsageTable({ summary, by }: Readonly<{ summary: UsageSummary; by: Dimension }>) {
  const [sorting, setSorting] = useSorting({ key: "requests", direction: "desc" });
  const columns = useMemo(() => usageColumns(by), [by]);
  if (summary.rows.length === 0) return <Empty title="No requests in this time" />;
  return (
    <>
      <ObjectTable
        label="Usage"
        rows={summary.rows}
        columns={columns}
        idOf={rowId}
        sorting={sorting}
        onSorting={setSorting}
      />
      {summary.truncated ? (
        <p className="border-t px-4 py-2 text-small text-text-2">
          More rows match than are listed; the totals include all.
        </p>
      ) : null}
    </>
  );
}

function lagWords(summary: UsageSummary, nowMs: number): string {
  const lag = summary.newest_ts_ms === null ? 0 : nowMs - summary.newest_ts_ms;
  return lag > STEP_MS && lag < 86_400_000 ? ` The newest record is ${formatDuration(lag)} old.` : "";
}
