"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { LazyChart } from "../../components/chart/lazy-chart";
import { GroupMark, groupColor } from "../../components/ui/group-mark";
import { GROUP_COLOURS, groupColors } from "../../lib/group-colors";
import type { HistoryStore, HistoryView } from "../../lib/history-series";
import { usePreferences } from "../../lib/preferences";
import { groupsQuery } from "../../queries/objects";
import type { LivePool } from "../../queries/wire";
import { HistoryTable } from "./history-table";
import { groupNames, type HistoryBand, historyBands, historyRows } from "./logic/history-rows";
import { useHistoryMarks } from "./use-history-marks";

interface HistoryChartsProps {
  pool: LivePool;
  store: HistoryStore;
  view: HistoryView;
  fromMs: number;
  toMs: number;
  /** While the reader points at a chart. */
  onReading: (isReading: boolean) => void;
}

/** What ran by group and what waited, over the same time with one cursor; the same as a table. */
export function HistoryCharts({ pool, store, view, fromMs, toMs, onReading }: Readonly<HistoryChartsProps>) {
  const { clock } = usePreferences();
  const [isTable, setIsTable] = useState(false);
  const marks = useHistoryMarks(store, pool.model);
  const groups = useQuery(groupsQuery()).data?.items;
  const bands = useMemo(() => {
    const names = groupNames(view);
    const stored = new Map((groups ?? []).map((group) => [group.name, group.color]));
    // With those of the lanes above, so that a group without a colour is given the same in both where that can be.
    const drawn = [...pool.groups, ...names.map((name) => ({ name, color: stored.get(name) ?? GROUP_COLOURS }))];
    return historyBands(names, groupColors(drawn));
  }, [groups, pool.groups, view]);
  const rows = useMemo(() => historyRows(view, bands), [view, bands]);
  const shared = {
    rows,
    gaps: view.gaps,
    marks,
    stepMs: view.bucketMs,
    fromMs,
    toMs,
    zone: clock,
    syncId: "pool-history",
    onTooltip: onReading,
  };
  return (
    <>
      <Legend bands={bands} />
      <LazyChart
        label="Running requests by group"
        isZoneHidden
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
      {isTable ? <HistoryTable view={view} zone={clock} /> : null}
    </>
  );
}

function Legend({ bands }: Readonly<{ bands: readonly HistoryBand[] }>) {
  return (
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
  );
}
