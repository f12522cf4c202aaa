"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useMemo } from "react";
import { PageHeader } from "../../components/layout/page-header";
import { TextFilter } from "../../components/table/text-filter";
import { Button } from "../../components/ui/button";
import { Failure } from "../../components/ui/failure";
import { INPUT } from "../../components/ui/field";
import { Empty } from "../../components/ui/notice";
import { Panel } from "../../components/ui/panel";
import { SkeletonRows } from "../../components/ui/skeleton";
import { api } from "../../lib/api";
import { cn } from "../../lib/cn";
import { formatDay } from "../../lib/format";
import { usePreferences } from "../../lib/preferences";
import type { AuditRow } from "../../queries/wire";
import { AuditEntry } from "./audit-entry";
import { byDay } from "./logic/days";

const KINDS = [
  "group",
  "tenant",
  "model_cap",
  "key",
  "model",
  "endpoint",
  "boost",
  "capacity",
  "user",
  "session",
] as const;
const replace = { history: "replace" as const };
const params = {
  q: parseAsString.withDefault("").withOptions({ ...replace, throttleMs: 300 }),
  kind: parseAsStringLiteral(KINDS).withOptions(replace),
  actor: parseAsString.withOptions(replace),
  object: parseAsString.withOptions(replace),
};

const PAGE = 50;
const INTERVAL_MS = 15_000;

/** What changed lately, by whom, and the way back. */
export function AuditPage() {
  const [query, setQuery] = useQueryStates(params);
  const filters = useMemo(
    () => ({
      limit: PAGE,
      ...(query.q.trim() === "" ? {} : { q: query.q.trim() }),
      ...(query.kind ? { kind: query.kind } : {}),
      ...(query.actor ? { actor: query.actor } : {}),
      ...(query.object ? { object: query.object } : {}),
    }),
    [query],
  );
  const audit = useInfiniteQuery({
    queryKey: ["audit", "pages", filters],
    queryFn: async ({ pageParam, signal }) =>
      (
        await api.call(
          "listAudit",
          { query: { ...filters, ...(pageParam === null ? {} : { cursor: pageParam }) } },
          { signal },
        )
      ).data,
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : INTERVAL_MS),
  });
  const rows = useMemo(() => audit.data?.pages.flatMap((page) => page.items) ?? [], [audit.data]);
  const isFiltered = Object.keys(filters).length > 1;
  return (
    <>
      <PageHeader title="Audit" answer={audit.data ? answerOf(rows) : ""} />
      <Panel label="Changes" bodyClassName="p-0">
        <div className="flex flex-wrap items-center gap-2 p-4">
          <TextFilter
            label="Search changes"
            value={query.q}
            onValue={(q) => void setQuery({ q: q === "" ? null : q })}
          />
          <select
            aria-label="Kind"
            value={query.kind ?? ""}
            onChange={(event) => void setQuery({ kind: (event.target.value || null) as typeof query.kind })}
            className={cn(INPUT, "w-40")}
          >
            <option value="">Any kind</option>
            {KINDS.map((kind) => (
              <option key={kind} value={kind}>
                {kind.replaceAll("_", " ")}
              </option>
            ))}
          </select>
          {isFiltered ? (
            <Button variant="ghost" onClick={() => void setQuery({ q: null, kind: null, actor: null, object: null })}>
              Clear the filters
            </Button>
          ) : null}
        </div>
        {audit.error && !audit.data ? (
          <Failure what="Cannot read the audit" error={audit.error} onRetry={() => void audit.refetch()} />
        ) : null}
        {audit.data ? <Days rows={rows} /> : audit.error ? null : <SkeletonRows rows={8} label="Reading the audit" />}
        {audit.hasNextPage ? (
          <div className="border-t p-3 text-center">
            <Button disabled={audit.isFetchingNextPage} onClick={() => void audit.fetchNextPage()}>
              {audit.isFetchingNextPage ? "Reading" : "Older changes"}
            </Button>
          </div>
        ) : null}
      </Panel>
    </>
  );
}

function Days({ rows }: Readonly<{ rows: readonly AuditRow[] }>) {
  const { clock } = usePreferences();
  if (rows.length === 0) return <Empty title="No change matches" />;
  return (
    <div>
      {byDay(rows, (tsMs) => formatDay(tsMs, clock)).map((day) => (
        <section key={day.label} aria-label={day.label}>
          <h2 className="border-y bg-subtle px-4 py-1.5 text-micro text-text-2">{day.label}</h2>
          <ul className="divide-y">
            {day.rows.map((row) => (
              <AuditEntry key={row.id} row={row} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function answerOf(rows: readonly AuditRow[]): string {
  const [newest] = rows;
  if (newest === undefined) return "Nothing was changed.";
  const actors = new Set(rows.map((row) => row.actor));
  return `The newest ${rows.length} changes, by ${actors.size === 1 ? newest.actor : `${actors.size} people and tokens`}.`;
}
