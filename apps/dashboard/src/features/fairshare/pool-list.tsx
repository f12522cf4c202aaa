"use client";

import Link from "next/link";
import { useQueryStates } from "nuqs";
import { useDeferredValue, useEffect, useMemo } from "react";
import { PageHeader } from "../../components/layout/page-header";
import { Button } from "../../components/ui/button";
import { HelpTip } from "../../components/ui/help-tip";
import { Empty } from "../../components/ui/notice";
import { Panel } from "../../components/ui/panel";
import { SkeletonRows } from "../../components/ui/skeleton";
import { cn } from "../../lib/cn";
import { plural, slotCount } from "../../lib/format";
import { isTyping } from "../../lib/is-typing";
import { FILTER_STATES, type FilterState, type PoolTotals, poolTotals } from "../../lib/pool-state";
import { usePreferences } from "../../lib/preferences";
import { scopePrefix } from "../../lib/scope";
import { useIsMounted } from "../../lib/use-is-mounted";
import { useFreshness, useLive } from "../../queries/use-live";
import type { Live, LivePool } from "../../queries/wire";
import { GroupShareList } from "./group-share-list";
import { fairshareAnswer } from "./logic/answer-line";
import { matchesFilter } from "./logic/pool-filter";
import { PoolTable } from "./pool-table";
import { listParams } from "./search-params";
import { StateFilter } from "./state-filter";
import { useStateAnnouncements } from "./use-state-announcements";

export function PoolList() {
  const sample = useLive();
  const isStale = useFreshness().state === "stale";
  const live = sample?.live;
  const totals = useMemo(() => poolTotals(live?.pools ?? []), [live]);
  const isMounted = useIsMounted();
  useStateAnnouncements(live?.pools);
  return (
    <>
      <PageHeader
        title="Fairshare"
        answer={live ? `${scopePrefix(live)}${fairshareAnswer(totals, busiest(live))}` : ""}
        actions={
          <Button asChild>
            <Link href="/fairshare/groups">Groups &amp; weights</Link>
          </Button>
        }
      />
      <div className={cn("space-y-4", isStale && "stale", !isMounted && "max-sm:hidden")}>
        <Panel label="Pools" bodyClassName="p-0">
          {live ? (
            <PoolSection live={live} sample={sample.reads} totals={totals} isStale={isStale} />
          ) : (
            <SkeletonRows rows={8} label="Reading the pools" />
          )}
        </Panel>
        {live && live.groups.length > 0 ? <GroupsPanel live={live} /> : null}
      </div>
    </>
  );
}

interface PoolSectionProps {
  live: Live;
  sample: number;
  totals: PoolTotals;
  isStale: boolean;
}

function PoolSection({ live, sample, totals, isStale }: Readonly<PoolSectionProps>) {
  const [params, setParams] = useQueryStates(listParams);
  useStateKeys(params.state, (state) => void setParams({ state }));
  // Letters show at once; the list follows when there is time.
  const text = useDeferredValue(params.q);
  const pools = useMemo(
    () => live.pools.filter((pool) => matchesFilter(pool, { text, states: params.state, group: params.group })),
    [live, text, params.state, params.group],
  );
  if (live.pools.length === 0) {
    return (
      <Empty
        title="No models yet"
        action={
          <Button asChild variant="primary">
            <Link href="/models?new=true">Add a model</Link>
          </Button>
        }
      >
        Each model gets its own pool of slots. Add one, and its use shows here.
      </Empty>
    );
  }
  const onSort = (sort: (typeof params)["sort"]) => {
    if (sort !== params.sort) return void setParams({ sort, dir: null });
    const first = sort === "name" ? "asc" : "desc";
    return void setParams({ dir: (params.dir ?? first) === first ? (first === "asc" ? "desc" : "asc") : null });
  };
  return (
    <>
      <div className="p-4 pb-2">
        <StateFilter
          totals={totals}
          states={params.state}
          onStates={(state) => void setParams({ state: state.length === 0 ? null : state })}
          text={params.q}
          onText={(q) => void setParams({ q: q === "" ? null : q })}
        />
        {params.group === null ? null : (
          <GroupFilter group={params.group} onAll={() => void setParams({ group: null })} />
        )}
      </div>
      {pools.length > 0 ? (
        <PoolTable
          pools={pools}
          sample={sample}
          isStale={isStale}
          sort={params.sort}
          direction={params.dir}
          onSort={onSort}
          filter={`${text} ${params.state.join()} ${params.group ?? ""}`}
          group={params.group}
        />
      ) : (
        <Empty
          title="No pool matches"
          action={
            <Button onClick={() => void setParams({ q: null, state: null, group: null })}>Clear the filters</Button>
          }
        />
      )}
      {totals.withoutServers > 0 ? (
        <p className="border-t px-4 py-2 text-small text-text-2">
          {plural(totals.withoutServers, "pool")} without servers ({slotCount(totals.slotsWithoutServers)}) not counted.
        </p>
      ) : null}
    </>
  );
}

function GroupFilter({ group, onAll }: Readonly<{ group: string; onAll: () => void }>) {
  return (
    <p className="mt-2 flex items-center gap-2 text-small text-text-2">
      Pools where <strong className="name font-medium text-text">{group}</strong> has work
      <Button size="small" variant="ghost" onClick={onAll}>
        All groups
      </Button>
    </p>
  );
}

function GroupsPanel({ live }: Readonly<{ live: Live }>) {
  return (
    <Panel
      bodyClassName="p-0"
      title={
        <>
          Groups, all pools
          <HelpTip label="What a group's share is">
            A group's share is the sum of the whole slots its weight gives it in each pool where it has work. Slots in
            use above it are borrowed from groups that leave theirs idle, and go back as those requests finish.
          </HelpTip>
        </>
      }
    >
      {live.algorithm === "weighted" ? (
        <p className="border-b px-4 py-2 text-small text-text-2">
          This gateway orders tenants by weight directly; group shares are shown for comparison.
        </p>
      ) : null}
      <GroupShareList groups={live.groups} hrefOf={(group) => `/fairshare?group=${encodeURIComponent(group)}`} />
    </Panel>
  );
}

/** Keys 1 to 5 switch the states of the filter on and off. */
function useStateKeys(states: readonly FilterState[], onStates: (states: FilterState[] | null) => void): void {
  const { hasShortcuts } = usePreferences();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const state = FILTER_STATES[Number(event.key) - 1];
      if (!hasShortcuts || state === undefined || isTyping(event.target) || event.ctrlKey || event.metaKey) return;
      const next = states.includes(state) ? states.filter((other) => other !== state) : [...states, state];
      onStates(next.length === 0 ? null : next);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [hasShortcuts, states, onStates]);
}

function busiest(live: Live): LivePool | undefined {
  return live.pools.find((pool) => pool.capacity_state === "ok" && pool.in_flight + pool.held > 0);
}
