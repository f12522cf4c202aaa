"use client";

import { useQuery } from "@tanstack/react-query";
import { ArrowLeft } from "lucide-react";
import dynamic from "next/dynamic";
import Link from "next/link";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { PageHeader } from "../../components/layout/page-header";
import { Tabs } from "../../components/layout/tabs";
import { Button } from "../../components/ui/button";
import { Failure } from "../../components/ui/failure";
import { PoolBar } from "../../components/ui/pool-bar";
import { Skeleton } from "../../components/ui/skeleton";
import { formatExact, slotCount } from "../../lib/format";
import { noServersWords } from "../../lib/no-servers";
import { modelQuery, type Versioned } from "../../queries/objects";
import { useLiveSummary } from "../../queries/use-live";
import type { LivePool, Model } from "../../queries/wire";
import { CapacityTab } from "./capacity-tab";
import { ServingSwitch } from "./serving-switch";

const OverviewTab = dynamic(() => import("./overview-tab").then((module) => module.OverviewTab), { ssr: false });
const EndpointsTab = dynamic(() => import("./endpoints-tab").then((module) => module.EndpointsTab), { ssr: false });
const SettingsTab = dynamic(() => import("./settings-tab").then((module) => module.SettingsTab), { ssr: false });

const TABS = [
  { value: "overview", label: "Overview" },
  { value: "capacity", label: "Capacity" },
  { value: "endpoints", label: "Endpoints" },
  { value: "settings", label: "Settings" },
] as const;
const tabParam = parseAsStringLiteral(TABS.map((tab) => tab.value)).withDefault("overview");

/** Whether a model is serving, how full its pool is, and what bounds it. */
export function ModelPage({ name }: Readonly<{ name: string }>) {
  const { data, error, refetch } = useQuery(modelQuery(name));
  const [tab, setTab] = useQueryState("tab", tabParam);
  const live = useLiveSummary()?.live;
  const pool = live?.pools.find((one) => one.model === data?.data.name);
  return (
    <>
      <PageHeader
        above={
          <Link href="/models" className="mb-1 inline-flex items-center gap-1 text-small text-text-2 hover:text-text">
            <ArrowLeft className="size-3.5" aria-hidden="true" />
            Models
          </Link>
        }
        title={data?.data.name ?? name}
        answer={data ? answerOf(data.data, pool) : ""}
        actions={
          data ? (
            <>
              <ServingSwitch model={data} queued={pool?.queued ?? 0} inFlight={pool?.in_flight ?? 0} />
              <Button asChild>
                <Link href={`/fairshare?pool=${encodeURIComponent(data.data.name)}`}>Open pool</Link>
              </Button>
            </>
          ) : null
        }
      />
      {error && !data ? <Failure what="Cannot read the model" error={error} onRetry={() => void refetch()} /> : null}
      {data ? (
        <LoadedModel model={data} pool={pool} tab={tab} onTab={(next) => void setTab(next)} />
      ) : error ? null : (
        <Skeleton className="h-80" />
      )}
    </>
  );
}

interface LoadedModelProps {
  model: Versioned<Model>;
  pool: LivePool | undefined;
  tab: (typeof TABS)[number]["value"];
  onTab: (tab: (typeof TABS)[number]["value"]) => void;
}

function LoadedModel({ model, pool, tab, onTab }: Readonly<LoadedModelProps>) {
  return (
    <div className="space-y-4">
      {pool && pool.capacity_state === "ok" ? <PoolBar pool={pool} className="max-w-xl" /> : null}
      <Tabs label="About this model" tabs={TABS} value={tab} onValue={onTab}>
        {tab === "overview" ? <OverviewTab model={model.data} pool={pool} /> : null}
        {tab === "capacity" ? <CapacityTab model={model} pool={pool} /> : null}
        {tab === "endpoints" ? <EndpointsTab model={model} /> : null}
        {tab === "settings" ? <SettingsTab model={model} /> : null}
      </Tabs>
    </div>
  );
}

function answerOf(model: Model, pool: LivePool | undefined): string {
  if (!model.enabled) return "Off: requests for it are refused.";
  if (pool?.capacity_state === "no_servers") return `No servers: ${noServersWords(pool.no_servers_cause)}.`;
  if (pool === undefined) return `Serving. ${slotCount(model.capacity.size)}.`;
  const waiting = pool.queued === 0 ? "nothing waiting" : `${formatExact(pool.queued)} waiting`;
  return `Serving. ${formatExact(pool.in_flight + pool.held)} of ${slotCount(pool.cap)} in use, ${waiting}.`;
}
