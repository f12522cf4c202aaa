"use client";

import { ArrowLeft } from "lucide-react";
import dynamic from "next/dynamic";
import Link from "next/link";
import { useQueryState, useQueryStates } from "nuqs";
import { useDeferredValue, useMemo, useState } from "react";
import { PageHeader } from "../../components/layout/page-header";
import { Button } from "../../components/ui/button";
import { groupColor } from "../../components/ui/group-mark";
import { Empty } from "../../components/ui/notice";
import { Panel } from "../../components/ui/panel";
import { Segmented } from "../../components/ui/segmented";
import { Skeleton, SkeletonRows } from "../../components/ui/skeleton";
import { cn } from "../../lib/cn";
import { slotCount } from "../../lib/format";
import { groupColors } from "../../lib/group-colors";
import { noServersWords } from "../../lib/no-servers";
import { poolBand } from "../../lib/pool-state";
import { scopePrefix } from "../../lib/scope";
import { useIsMounted } from "../../lib/use-is-mounted";
import { useFreshness, useLive } from "../../queries/use-live";
import type { Live, LivePool } from "../../queries/wire";
import { HistoryPanel } from "./history-panel";
import { paceText, poolAnswer } from "./logic/answer-line";
import { laneHolders } from "./logic/lanes";
import { poolParams } from "./search-params";
import { SlotLanes } from "./slot-lanes";
import { StateBadge } from "./state-badge";
import { TenantTable } from "./tenant-table";
import { usePoolKeys } from "./use-pool-keys";
import { useStateAnnouncements } from "./use-state-announcements";
import { WhatYouCanDo } from "./what-you-can-do";

const SlotStrip = dynamic(() => import("./slot-strip").then((module) => module.SlotStrip), { ssr: false });
const UnknownPool = dynamic(() => import("./unknown-pool").then((module) => module.UnknownPool), { ssr: false });
const TenantPanel = dynamic(() => import("./tenant-panel").then((module) => module.TenantPanel), { ssr: false });

/** Keeps a scroll position possible until the rows are drawn. */
const ROW_PX = 41;

/** One pool: who has the slots, who waits, and whether anyone is treated unfairly. */
export function PoolDetail({ name }: Readonly<{ name: string }>) {
  const live = useLive()?.live;
  const isStale = useFreshness().state === "stale";
  const [tenant, setTenant] = useQueryState("tenant", poolParams.tenant);
  const pool = live?.pools.find((candidate) => candidate.model === name);
  const pools = useMemo(() => (pool === undefined ? undefined : [pool]), [pool]);
  useStateAnnouncements(pools);
  usePoolKeys(name);
  const isMounted = useIsMounted();
  if (live !== undefined && pool === undefined) return <UnknownPool name={name} />;
  return (
    <>
      <PoolHeader name={name} live={live} pool={pool} isStale={isStale} />
      <div className={cn("space-y-4", isStale && "stale", !isMounted && "max-sm:hidden")}>
        {live && pool ? (
          <PoolPanels live={live} pool={pool} />
        ) : (
          <>
            <Skeleton className="h-56" />
            <SkeletonRows rows={8} label={`Reading ${name}`} />
          </>
        )}
      </div>
      {live && pool && tenant !== null ? (
        <TenantPanel
          key={tenant}
          live={live}
          pool={pool}
          tenantId={tenant}
          isStale={isStale}
          onClose={() => void setTenant(null)}
        />
      ) : null}
    </>
  );
}

interface PoolHeaderProps {
  name: string;
  live: Live | undefined;
  pool: LivePool | undefined;
  isStale: boolean;
}

function PoolHeader({ name, live, pool, isStale }: Readonly<PoolHeaderProps>) {
  return (
    <PageHeader
      above={
        <Link href="/fairshare" className="mb-1 inline-flex items-center gap-1 text-small text-text-2 hover:text-text">
          <ArrowLeft className="size-3.5" aria-hidden="true" />
          Fairshare
        </Link>
      }
      title={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="name">{name}</span>
          {pool ? (
            <span className="flex items-center gap-1">
              <StateBadge band={poolBand(pool)} queued={pool.queued} isStale={isStale} />
              {poolBand(pool).startsWith("full") ? <WhatYouCanDo pool={pool} replicas={live?.replicas ?? 1} /> : null}
            </span>
          ) : null}
        </span>
      }
      answer={live && pool ? `${scopePrefix(live)}${poolAnswer(pool)} ${sentence(paceText(pool.finishes_5m))}` : ""}
      actions={
        <Button asChild>
          <Link href={`/models/${encodeURIComponent(name)}?tab=capacity`}>Model</Link>
        </Button>
      }
    />
  );
}

function PoolPanels({ live, pool }: Readonly<{ live: Live; pool: LivePool }>) {
  const [{ group, view }, setParams] = useQueryStates(poolParams);
  const [lit, setLit] = useState<string | null>(null);
  const holders = useMemo(() => laneHolders(live.algorithm, pool), [live.algorithm, pool]);
  const colors = useMemo(() => groupColors(pool.groups), [pool]);
  const parts = useMemo(
    () =>
      (pool.tenants ?? []).map((tenant) => ({
        id: tenant.tenant_id,
        name: tenant.name,
        color: groupColor(colors.get(tenant.group)),
        inFlight: tenant.in_flight,
        held: tenant.held,
      })),
    [pool, colors],
  );
  const isIdle = holders.length === 0;
  const isRestWanted = useAfterFirst();
  return (
    <>
      <Panel
        title="Slots"
        actions={
          <Segmented
            label="How to draw the slots"
            value={view}
            options={[
              { value: "lanes", label: "Lanes" },
              { value: "strip", label: "Strip" },
            ]}
            onValue={(next) => void setParams({ view: next })}
          />
        }
        bodyClassName="px-4 py-3"
      >
        <SizeNote pool={pool} live={live} />
        {isIdle ? <NothingHere pool={pool} /> : null}
        {!isIdle && view === "lanes" ? (
          <SlotLanes
            holders={holders}
            poolSize={pool.cap}
            selected={group}
            onSelect={(next) => void setParams({ group: next })}
          />
        ) : null}
        {!isIdle && view === "strip" ? <SlotStrip parts={parts} poolSize={pool.cap} lit={lit} /> : null}
      </Panel>
      <Panel title="Tenants" bodyClassName="p-0">
        {(pool.tenants ?? []).length === 0 ? (
          <Empty title="No tenant has work here" />
        ) : !isRestWanted ? (
          <div style={{ height: (pool.tenants ?? []).length * ROW_PX }} />
        ) : (
          <TenantTable pool={pool} selected={group} onLight={view === "strip" ? setLit : lightNothing} />
        )}
      </Panel>
      {isRestWanted ? (
        <HistoryPanel pool={pool} startedTsMs={live.started_ts_ms} replicas={live.replicas} />
      ) : (
        <Skeleton className="h-126" />
      )}
    </>
  );
}

/** No slot is taken: nobody asks, or nothing could answer. */
function NothingHere({ pool }: Readonly<{ pool: LivePool }>) {
  if (poolBand(pool) !== "no_servers") return <Empty title="Idle">Nothing runs, waits or is held here.</Empty>;
  return (
    <Empty
      title="No servers"
      action={
        <Button asChild>
          <Link href={`/models/${encodeURIComponent(pool.model)}?tab=endpoints`}>Open endpoints</Link>
        </Button>
      }
    >
      It has {noServersWords(pool.no_servers_cause)}, so its {slotCount(pool.cap)} can run nothing.
    </Empty>
  );
}

/** Lanes show no single tenant's slots. */
const lightNothing = () => undefined;

/** False for the first drawing of a page that was come to from another; what it leaves out follows in a task of its own. */
function useAfterFirst(): boolean {
  return useDeferredValue(true, !useIsMounted());
}

/** What makes the shares differ from the pool's size. */
function SizeNote({ pool, live }: Readonly<{ pool: LivePool; live: Live }>) {
  const notes: string[] = [];
  if (live.scope === "replica" && live.replicas > 1)
    notes.push("Seen from this gateway only: who is below its share may be incomplete.");
  if (live.algorithm === "weighted") notes.push("Weights order tenants directly; groups are not used.");
  if (pool.usable < pool.cap)
    notes.push(`Shares are split over ${slotCount(pool.usable)}: the ceiling leaves no more.`);
  if (pool.cap < pool.configured_cap) notes.push(`${pool.cap} of ${slotCount(pool.configured_cap)} are in force here.`);
  if (notes.length === 0) return null;
  return <p className="mb-2 text-small text-text-2">{notes.join(" ")}</p>;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
