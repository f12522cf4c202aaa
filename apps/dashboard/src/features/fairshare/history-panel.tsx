"use client";

import { useQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { useMemo, useRef, useState } from "react";
import { LazyChart } from "../../components/chart/lazy-chart";
import { Failure } from "../../components/ui/failure";
import { GroupMark, groupColor } from "../../components/ui/group-mark";
import { Empty } from "../../components/ui/notice";
import { Panel } from "../../components/ui/panel";
import { Segmented } from "../../components/ui/segmented";
import { Skeleton } from "../../components/ui/skeleton";
import { changeSentence } from "../../lib/audit-words";
import { formatCount, formatDuration, formatMinute } from "../../lib/format";
import { type HistoryStore, type HistoryView, historyPeak, historyView } from "../../lib/history-series";
import { usePreferences } from "../../lib/preferences";
import { useNow } from "../../lib/use-now";
import { recentChangesQuery } from "../../queries/audit";
import { groupsQuery } from "../../queries/objects";
import { useHistory } from "../../queries/use-history";
import type { LivePool } from "../../queries/wire";
import { HistoryTable } from "./history-table";
import { groupNames, historyBands, historyRows } from "./logic/history-rows";
import { poolParams } from "./search-params";

const SPANS_MS = { "15m": 15 * 60_000, "1h": 3_600_000 } as const;
const INTERVALS_MS = { "15m": 5000, "1h": 10_000 } as const;

interface HistoryPanelProps {
  pool: LivePool;
  startedTsMs: number;
  replicas: number;
}

/** What ran and what waited here lately, as one gateway saw it. */
export function HistoryPanel({ pool, startedTsMs, replicas }: Readonly<HistoryPanelProps>) {
  const [{ range }, setParams] = useQueryStates(poolParams);
  const { clock } = usePreferences();
  const span = range === "1h" ? "1h" : "15m";
  const { data, error, refetch } = useHistory(pool.model, INTERVALS_MS[span]);
  const title = replicas > 1 ? `This gateway's history since ${formatMinute(startedTsMs, clock)}` : "History";
  return (
    <Panel
      title={title}
      actions={
        <Segmented
          label="How far back"
          value={span}
          options={[
            { value: "15m", label: "15 min" },
            { value: "1h", label: "1 h" },
          ]}
          onValue={(next) => void setParams({ range: next })}
        />
      }
    >
      {error && !data ? <Failure what="Cannot read the history" error={error} onRetry={() => void refetch()} /> : null}
      {data ? <HistoryCharts pool={pool} store={data} span={span} /> : error ? null : <Skeleton className="h-72" />}
    </Panel>
  );
}

interface HistoryChartsProps {
  pool: LivePool;
  store: HistoryStore;
  span: "15m" | "1h";
}

function HistoryCharts({ pool, store, span }: Readonly<HistoryChartsProps>) {
  const { clock } = usePreferences();
  const [isTable, setIsTable] = useState(false);
  const [isReading, setIsReading] = useState(false);
  const nowMs = useNow(INTERVALS_MS[span]);
  const fresh = useMemo(
    () => historyView(store, { fromMs: nowMs - SPANS_MS[span], toMs: nowMs }),
    [store, nowMs, span],
  );
  const view = useHeldWhile(isReading, { view: fresh, nowMs });
  const marks = useMarks(store, pool.model);
  const groups = useQuery(groupsQuery()).data?.items;
  const bands = useMemo(() => {
    const colors = new Map((groups ?? pool.groups).map((group) => [group.name, group.color]));
    return historyBands(groupNames(view.view), colors);
  }, [groups, pool.groups, view.view]);
  const rows = useMemo(() => historyRows(view.view, bands), [view.view, bands]);
  if (store.retentionMs === 0) {
    return <Empty title="History is off">Set OBLETH_FAIRSHARE_HISTORY_SECS on the gateways to keep it.</Empty>;
  }
  if (view.view.rows.length === 0)
    return <Empty title="No samples yet">The first ones come within a few seconds.</Empty>;
  const shared = {
    rows,
    gaps: view.view.gaps,
    marks,
    fromMs: view.nowMs - SPANS_MS[span],
    toMs: view.nowMs,
    zone: clock,
    syncId: "pool-history",
    onTooltip: setIsReading,
  };
  return (
    <div className="space-y-3">
      <p className="num text-small text-text-2">{summaryOf(view.view, clock)}</p>
      <ul className="flex flex-wrap gap-x-4 gap-y-1 text-micro text-text-2">
        {bands.map((band) => (
          <li key={band.key} className="flex items-center gap-1.5">
            <GroupMark color={band.colorIndex} />
            <span className="name">{band.name}</span>
          </li>
        ))}
        <li className="flex items-center gap-1.5">
          <span className="h-0.5 w-3 bg-text" aria-hidden="true" />
          pool size
        </li>
      </ul>
      <LazyChart
        label="Running requests by group"
        {...shared}
        heightPx={200}
        bands={bands.map((band) => ({ key: band.key, name: band.name, color: groupColor(band.colorIndex) }))}
        lines={[{ key: "cap", name: "pool size", color: "var(--text)" }]}
      />
      <p className="text-micro text-text-2">Waiting</p>
      <LazyChart
        label="Waiting requests"
        {...shared}
        heightPx={96}
        bands={[{ key: "queued", name: "waiting", color: "var(--urgent)" }]}
      />
      <button type="button" className="link text-small" aria-expanded={isTable} onClick={() => setIsTable(!isTable)}>
        {isTable ? "Hide the table" : "Show as table"}
      </button>
      {isTable ? <HistoryTable view={view.view} zone={clock} /> : null}
    </div>
  );
}

/** What is shown stands still while the reader points at it. */
function useHeldWhile<Value>(isHeld: boolean, value: Value): Value {
  const held = useRef(value);
  if (!isHeld) held.current = value;
  return held.current;
}

function useMarks(store: HistoryStore, model: string) {
  const { data } = useQuery(recentChangesQuery());
  return useMemo(() => {
    const kinds = new Set(["tenant", "group", "model", "model_cap", "boost", "capacity"]);
    const changes = (data?.items ?? [])
      .filter((row) => kinds.has(row.object.type) && (row.object.type !== "model" || row.object.name === model))
      .map((row) => ({ tsMs: row.ts_ms, label: changeSentence(row) }));
    return [...changes, ...store.switches];
  }, [data, store.switches, model]);
}

function summaryOf(view: HistoryView, clock: "local" | "utc"): string {
  const peak = historyPeak(view);
  if (peak === null) return "";
  const running =
    peak.min === peak.max ? formatCount(peak.max) : `${formatCount(peak.min)} to ${formatCount(peak.max)}`;
  const waiting =
    peak.peak === 0
      ? "nothing waited"
      : `waiting peaked at ${formatCount(peak.peak)} at ${formatMinute(peak.peakTsMs, clock)}`;
  const worst = view.bucketMs > 2000 ? ` Each column is the worst of ${formatDuration(view.bucketMs)}.` : "";
  return `Running ${running}; ${waiting}.${worst}`;
}
