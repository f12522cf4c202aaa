"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { changeSentence } from "../../lib/audit-words";
import type { HistoryStore, Mark } from "../../lib/history-series";
import { recentChangesQuery } from "../../queries/audit";

const KINDS = new Set(["tenant", "group", "model", "model_cap", "boost", "capacity"]);

/** Moments worth a line on a pool's history: changes that move slots, and a switch to another gateway's series. */
export function useHistoryMarks(store: HistoryStore, model: string): readonly Mark[] {
  const { data } = useQuery(recentChangesQuery());
  return useMemo(() => {
    const changes = (data?.items ?? [])
      .filter((row) => KINDS.has(row.object.type) && (row.object.type !== "model" || row.object.name === model))
      .map((row) => ({ tsMs: row.ts_ms, label: changeSentence(row) }));
    return [...changes, ...store.switches];
  }, [data, store.switches, model]);
}
