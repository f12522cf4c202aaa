"use client";

import { useQueryStates } from "nuqs";
import { useMemo, useRef, useState } from "react";
import { Failure } from "../../components/ui/failure";
import { Empty } from "../../components/ui/notice";
import { Panel } from "../../components/ui/panel";
import { Segmented } from "../../components/ui/segmented";
import { Skeleton } from "../../components/ui/skeleton";
import { formatMinute } from "../../lib/format";
import { type HistoryStore, historyView, oldestSampleMs } from "../../lib/history-series";
import { usePreferences } from "../../lib/preferences";
import { useNow } from "../../lib/use-now";
import { useHistory } from "../../queries/use-history";
import type { LivePool } from "../../queries/wire";
import { HistoryCharts } from "./history-charts";
import { HistoryRangeFields } from "./history-range-fields";
import { shownRange, stepOf } from "./logic/history-range";
import { poolParams } from "./search-params";

interface HistoryPanelProps {
  pool: LivePool;
  startedTsMs: number;
  replicas: number;
}

/** What ran and what waited here lately, as one gateway saw it. */
export function HistoryPanel({ pool, startedTsMs, replicas }: Readonly<HistoryPanelProps>) {
  const [{ range }, setParams] = useQueryStates(poolParams);
  const { clock } = usePreferences();
  const { data, error, refetch } = useHistory(pool.model, stepOf(range));
  const title = replicas > 1 ? `This gateway's history since ${formatMinute(startedTsMs, clock)}` : "History";
  return (
    <Panel
      title={title}
      actions={
        <Segmented
          label="How far back"
          value={range}
          options={[
            { value: "15m", label: "15 min" },
            { value: "1h", label: "1 h" },
            { value: "custom", label: "Custom" },
          ]}
          onValue={(next) => void setParams({ range: next, from: null, to: null })}
        />
      }
    >
      {error && !data ? <Failure what="Cannot read the history" error={error} onRetry={() => void refetch()} /> : null}
      {data ? <ShownHistory pool={pool} store={data} /> : error ? null : <Skeleton className="h-72" />}
    </Panel>
  );
}

function ShownHistory({ pool, store }: Readonly<{ pool: LivePool; store: HistoryStore }>) {
  const [choice] = useQueryStates(poolParams);
  const [isReading, setIsReading] = useState(false);
  const nowMs = useNow(stepOf(choice.range));
  const { fromMs, toMs } = shownRange(choice, nowMs);
  const view = useMemo(() => historyView(store, { fromMs, toMs }), [store, fromMs, toMs]);
  const shown = useHeldWhile(isReading, { view, fromMs, toMs });
  if (store.retentionMs === 0) {
    return <Empty title="History is off">Set OBLETH_FAIRSHARE_HISTORY_SECS on the gateways to keep it.</Empty>;
  }
  const isCustom = choice.range === "custom";
  return (
    <div className="space-y-3">
      {isCustom ? (
        <HistoryRangeFields shown={{ fromMs, toMs }} nowMs={nowMs} oldestMs={oldestSampleMs(store) ?? nowMs} />
      ) : null}
      {shown.view.rows.length > 0 ? (
        <HistoryCharts pool={pool} store={store} onReading={setIsReading} {...shown} />
      ) : isCustom ? (
        <Empty title="No samples in this time" />
      ) : (
        <Empty title="No samples yet">The first ones come within a few seconds.</Empty>
      )}
    </div>
  );
}

/** What is shown stands still while the reader points at it. */
function useHeldWhile<Value>(isHeld: boolean, value: Value): Value {
  const held = useRef(value);
  if (!isHeld) held.current = value;
  return held.current;
}
