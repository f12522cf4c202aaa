"use client";

import { useQuery } from "@tanstack/react-query";
import { PageHeader } from "../../components/layout/page-header";
import { Failure } from "../../components/ui/failure";
import { Skeleton, SkeletonRows } from "../../components/ui/skeleton";
import { cn } from "../../lib/cn";
import { formatMinute } from "../../lib/format";
import { usePausedAt } from "../../lib/pause";
import { usePreferences } from "../../lib/preferences";
import { scopePrefix } from "../../lib/scope";
import { overviewQuery } from "../../queries/overview";
import { useFreshness, useLive } from "../../queries/use-live";
import { AttentionList } from "./attention-list";
import { BusiestPools } from "./busiest-pools";
import { FirstSteps } from "./first-steps";
import { isOnlyWatched, overviewAnswer } from "./logic/attention";
import { NowPanel } from "./now-panel";
import { ActiveBoosts, RecentChanges } from "./side-panels";
import { WaitArea } from "./wait-area";

/** Whether anything needs someone, and what first. */
export function OverviewPage() {
  const { refresh, clock } = usePreferences();
  const isPaused = usePausedAt() !== null;
  const { data, error, refetch } = useQuery({ ...overviewQuery(refresh), enabled: !isPaused });
  const live = useLive()?.live;
  const fresh = useFreshness();
  const isStale = fresh.state === "stale";
  const isEmpty = data !== undefined && !(data.setup.has_models && data.setup.has_tenants && data.setup.has_keys);
  const acute = data?.items.filter((item) => !isOnlyWatched(item)) ?? [];
  const answer = isStale
    ? `Cannot read the gateways since ${formatMinute(fresh.sample?.asOfMs ?? fresh.serverNowMs, clock)}.`
    : data
      ? `${live ? scopePrefix(live) : ""}${overviewAnswer(data, acute.length === 0)}`
      : "";
  return (
    <>
      <PageHeader title="Overview" answer={answer} />
      {error && !data ? <Failure what="Cannot read the overview" error={error} onRetry={() => void refetch()} /> : null}
      <div className={cn("space-y-4", isStale && "stale")}>
        {data ? <NowPanel overview={data} /> : <Skeleton className="h-20" />}
        {isEmpty ? <FirstSteps setup={data.setup} /> : null}
        {data ? <AttentionList items={data.items} /> : <SkeletonRows rows={4} label="Reading what needs attention" />}
        <div className="grid grid-cols-1 items-start gap-4 md:grid-cols-2">
          <div className="grid grid-cols-1 gap-4">
            <BusiestPools pools={live?.pools} />
            <ActiveBoosts />
          </div>
          <div className="grid grid-cols-1 gap-4">
            <WaitArea />
            <RecentChanges />
          </div>
        </div>
      </div>
    </>
  );
}
