"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { useMemo, useState } from "react";
import { PageHeader } from "../../components/layout/page-header";
import { Button } from "../../components/ui/button";
import { Failure } from "../../components/ui/failure";
import { Empty } from "../../components/ui/notice";
import { Panel } from "../../components/ui/panel";
import { SkeletonRows } from "../../components/ui/skeleton";
import { cn } from "../../lib/cn";
import { formatDay, plural, zoneName } from "../../lib/format";
import { usePreferences } from "../../lib/preferences";
import { useSession } from "../../lib/session";
import { useNow } from "../../lib/use-now";
import type { AuditRow } from "../../queries/wire";
import { AuditCsv } from "./audit-csv";
import { AuditEntry } from "./audit-entry";
import { AuditFilters } from "./audit-filters";
import { AuditFold } from "./audit-fold";
import { type AuditFilter, auditPagesQuery } from "./audit-pages";
import { changedSince } from "./logic/changed-since";
import { byDay } from "./logic/days";
import { foldChanges, heldBack } from "./logic/folds";
import { AUDIT_RANGES, auditParams } from "./search-params";

const MINUTE_MS = 60_000;

/** What changed lately, by whom, and the way back. */
export function AuditPage() {
  const filter = useAuditFilter();
  const audit = useInfiniteQuery(auditPagesQuery(filter));
  const rows = useMemo(() => audit.data?.pages.flatMap((page) => page.items) ?? [], [audit.data]);
  const { shown, waiting, show } = useHeldBack(rows, filter);
  const actors = useMemo(() => [...new Set(rows.map((row) => row.actor))].sort(), [rows]);
  return (
    <>
      <PageHeader
        title="Audit"
        answer={audit.data ? answerOf(rows) : ""}
        actions={
          <>
            <Button onClick={show} className={cn("min-w-20 max-sm:order-last", waiting === 0 && "invisible")}>
              {waiting} new
            </Button>
            <AuditCsv filter={filter} isDisabled={rows.length === 0} />
          </>
        }
      />
      <Panel label="Changes" bodyClassName="p-0">
        <AuditFilters actors={actors} />
        {audit.error && !audit.data ? (
          <Failure what="Cannot read the audit" error={audit.error} onRetry={() => void audit.refetch()} />
        ) : null}
        {audit.data ? <Days rows={shown} /> : audit.error ? null : <SkeletonRows rows={8} label="Reading the audit" />}
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

function useAuditFilter(): AuditFilter {
  const [{ q, kind, actor, object, range }] = useQueryStates(auditParams);
  const nowMs = useNow(MINUTE_MS);
  const fromMs = range === null || nowMs === 0 ? null : nowMs - AUDIT_RANGES[range];
  return useMemo(
    () => ({
      ...(q.trim() === "" ? {} : { q: q.trim() }),
      ...(kind ? { kind } : {}),
      ...(actor ? { actor } : {}),
      ...(object ? { object } : {}),
      ...(fromMs === null ? {} : { from: new Date(fromMs).toISOString() }),
    }),
    [q, kind, actor, object, fromMs],
  );
}

/** New rows wait until the reader asks for them: what is read must not move. */
function useHeldBack(rows: readonly AuditRow[], filter: AuditFilter) {
  const { email } = useSession();
  const [seen, setSeen] = useState<{ filter: AuditFilter; id: number } | null>(null);
  const newestId = rows[0]?.id;
  const isSeen = seen !== null && seen.filter === filter;
  if (!isSeen && newestId !== undefined) setSeen({ filter, id: newestId });
  const held = heldBack(rows, isSeen ? seen.id : null, email);
  return { ...held, show: () => setSeen(newestId === undefined ? null : { filter, id: newestId }) };
}

function Days({ rows }: Readonly<{ rows: readonly AuditRow[] }>) {
  const { clock } = usePreferences();
  const changed = useMemo(() => changedSince(rows), [rows]);
  if (rows.length === 0) return <Empty title="No change matches" />;
  return (
    <div>
      {byDay(rows, (tsMs) => formatDay(tsMs, clock)).map((day) => (
        <section key={day.label} aria-label={day.label}>
          <h2 className="border-y bg-subtle px-4 py-1.5 text-micro text-text-2">
            {day.label} ({zoneName(clock)})
          </h2>
          <ul className="divide-y">
            {foldChanges(day.rows).map((run) => {
              const [row] = run;
              if (row === undefined) return null;
              return run.length === 1 ? (
                <AuditEntry key={row.id} row={row} changed={changed} />
              ) : (
                <AuditFold key={row.id} rows={run} changed={changed} />
              );
            })}
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
  return `The newest ${plural(rows.length, "change")}, by ${actors.size === 1 ? newest.actor : `${actors.size} people and tokens`}.`;
}
