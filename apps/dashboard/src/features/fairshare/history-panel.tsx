"use client";

import dynamic from "next/dynamic";
import { useQueryStates } from "nuqs";
import { useMemo, useRef, useState } from "react";
import { Failure } from "../../components/ui/failure";
import { Empty } from "../../components/ui/notice";
import { Panel } from "../../components/ui/panel";
import { Segmented } from "../../components/ui/segmented";
import { Skeleton } from "../../components/ui/skeleton";
import { formatMinute } from "../../lib/format";
import { type HistoryFacts, historyFacts } from "../../lib/history-facts";
import { type HistoryStore, historyView, oldestSampleMs } from "../../lib/history-series";
import { usePreferences } from "../../lib/preferences";
import { useIsMounted } from "../../lib/use-is-mounted";
import { useIsQuiet } from "../../lib/use-is-quiet";
import { useNow } from "../../lib/use-now";
import { useFirstHistory } from "../../queries/first-answers";
import { useHistory } from "../../queries/use-history";
import type { LivePool } from "../../queries/wire";
import { shownRange, stepOf } from "./logic/history-range";
import { historyWords } from "./logic/history-words";
import { poolParams } from "./search-params";

// What draws comes when the page stands; its sentence is there from the first paint.
const HistoryRangeFields = dynamic(() => import("./history-range-fields").then((module) => module.HistoryRangeFields), {
  ssr: false,
});
const HistoryCharts = dynamic(() => import("./history-charts").then((module) => module.HistoryCharts), {
  ssr: false,
  loading: () => <ChartsToCome />,
});

interface HistoryPanelProps {
  pool: LivePool;
  startedTsMs: number;
  replicas: number;
}

/** What ran and what waited here lately, as one gateway saw it. */
export function HistoryPanel({ pool, startedTsMs, replicas }: Readonly<HistoryPanelProps>) {
  const [{ range }, setParams] = useQueryStates(poolParams);
  const { clock } = usePreferences();
  const isMounted = useIsMounted();
  const isQuiet = useIsQuiet();
  const { data, error, refetch } = useHistory(pool.model, stepOf(range), isQuiet);
  const since = isMounted ? ` since ${formatMinute(startedTsMs, clock)}` : "";
  return (
    <Panel
      title={replicas > 1 ? `This gateway's history${since}` : "History"}
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
      {error && !data ? (
        <Failure what="Cannot read the history" error={error} onRetry={() => void refetch()} />
      ) : (
        <ShownHistory pool={pool} store={data} />
      )}
    </Panel>
  );
}

function ShownHistory({ pool, store }: Readonly<{ pool: LivePool; store: HistoryStore | undefined }>) {
  const [choice] = useQueryStates(poolParams);
  const [isReading, setIsReading] = useState(false);
  const nowMs = useNow(stepOf(choice.range));
  const { fromMs, toMs } = shownRange(choice, nowMs);
  const view = useMemo(() => store && historyView(store, { fromMs, toMs }), [store, fromMs, toMs]);
  const shown = useHeldWhile(isReading, { view, fromMs, toMs });
  const first = useFirstHistory(pool.model, choice.range);
  if (store?.retentionMs === 0) {
    return <Empty title="History is off">Set OBLETH_FAIRSHARE_HISTORY_SECS on the gateways to keep it.</Empty>;
  }
  const isCustom = choice.range === "custom";
  const isEmpty = shown.view?.rows.length === 0;
  return (
    <div className="space-y-3">
      {isCustom && store ? (
        <HistoryRangeFields shown={{ fromMs, toMs }} nowMs={nowMs} oldestMs={oldestSampleMs(store) ?? nowMs} />
      ) : null}
      {isEmpty ? null : <HistorySentence facts={shown.view ? historyFacts(shown.view) : first} />}
      {store === undefined || shown.view === undefined ? (
        <ChartsToCome />
      ) : !isEmpty ? (
        <HistoryCharts pool={pool} store={store} onReading={setIsReading} {...shown} view={shown.view} />
      ) : isCustom ? (
        <Empty title="No samples in this time" />
      ) : (
        <Empty title="No samples yet">The first ones come within a few seconds.</Empty>
      )}
    </div>
  );
}

/** In words; empty until something is known. */
function HistorySentence({ facts }: Readonly<{ facts: HistoryFacts | undefined }>) {
  const { clock } = usePreferences();
  const zone = useIsMounted() ? clock : null;
  return <p className="num min-h-5 text-small text-text-2">{facts ? historyWords(facts, zone) : ""}</p>;
}

/** As high as the charts. */
function ChartsToCome() {
  return <Skeleton className="h-97" />;
}

/** What is shown stands still while the reader points at it. */
function useHeldWhile<Value>(isHeld: boolean, value: Value): Value {
  const held = useRef(value);
  if (!isHeld) held.current = value;
  return held.current;
}
