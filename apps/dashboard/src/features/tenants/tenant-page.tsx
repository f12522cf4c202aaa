"use client";

import { useQuery } from "@tanstack/react-query";
import { ArrowLeft } from "lucide-react";
import dynamic from "next/dynamic";
import Link from "next/link";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { PageHeader } from "../../components/layout/page-header";
import { Tabs } from "../../components/layout/tabs";
import { BoostPill } from "../../components/ui/boost-pill";
import { Button } from "../../components/ui/button";
import { Failure } from "../../components/ui/failure";
import { Notice } from "../../components/ui/notice";
import { Skeleton } from "../../components/ui/skeleton";
import { budgetUse } from "../../lib/budget";
import { formatDayTime, formatExact, slotCount } from "../../lib/format";
import { usePreferences } from "../../lib/preferences";
import { boostsQuery } from "../../queries/boosts";
import { useLiveFull } from "../../queries/live-full";
import { tenantQuery, type Versioned } from "../../queries/objects";
import type { Live, Tenant } from "../../queries/wire";
import { TenantOverview } from "./tenant-overview";

const LimitsTab = dynamic(() => import("./limits-tab").then((module) => module.LimitsTab), { ssr: false });
const TenantKeys = dynamic(() => import("../../components/keys/key-list").then((module) => module.KeyList), {
  ssr: false,
});

const TABS = [
  { value: "overview", label: "Overview" },
  { value: "limits", label: "Limits" },
  { value: "keys", label: "Keys" },
] as const;
type Tab = (typeof TABS)[number]["value"];
const tabParam = parseAsStringLiteral(["overview", "limits", "keys"]).withDefault("overview");

/** What a tenant may do, and what it uses. */
export function TenantPage({ id }: Readonly<{ id: string }>) {
  const { data, error, refetch } = useQuery(tenantQuery(id));
  const [tab, setTab] = useQueryState("tab", tabParam);
  const live = useLiveFull();
  const tenant = data?.data;
  const boosts = useQuery(boostsQuery("active")).data?.items.filter((boost) => boost.tenant_id === id) ?? [];
  const here = live?.tenants?.find((one) => one.tenant_id === id);
  return (
    <>
      <PageHeader
        above={
          <Link href="/tenants" className="mb-1 inline-flex items-center gap-1 text-small text-text-2 hover:text-text">
            <ArrowLeft className="size-3.5" aria-hidden="true" />
            Tenants
          </Link>
        }
        title={
          <span className="flex flex-wrap items-center gap-3">
            {tenant?.name ?? "Tenant"}
            {boosts.map((boost) => (
              <BoostPill key={boost.id} boost={boost} place={boost.model} />
            ))}
          </span>
        }
        answer={tenant ? answerOf(tenant, live ? (here ?? NO_WORK) : null) : ""}
        actions={
          error && !data ? null : (
            <>
              <Button asChild>
                <Link href={`/boosts?new=true&tenant=${encodeURIComponent(id)}`}>Boost</Link>
              </Button>
              <Button asChild>
                <Link href={`/usage?tenant=${encodeURIComponent(id)}`}>Usage</Link>
              </Button>
              <Button asChild>
                <Link href={`/audit?object=${encodeURIComponent(id)}`}>Activity</Link>
              </Button>
            </>
          )
        }
      />
      {error && !data ? <Failure what="Cannot read the tenant" error={error} onRetry={() => void refetch()} /> : null}
      {data ? (
        <LoadedTenant tenant={data} live={live} tab={tab} onTab={(next) => void setTab(next)} />
      ) : error ? null : (
        <Skeleton className="h-80" />
      )}
    </>
  );
}

interface LoadedTenantProps {
  tenant: Versioned<Tenant>;
  live: Live | undefined;
  tab: Tab;
  onTab: (tab: Tab) => void;
}

function LoadedTenant({ tenant, live, tab, onTab }: Readonly<LoadedTenantProps>) {
  return (
    <div className="space-y-4">
      <TenantBanners tenant={tenant.data} />
      <Tabs label="About this tenant" tabs={TABS} value={tab} onValue={onTab}>
        {tab === "overview" ? <TenantOverview tenant={tenant.data} live={live} /> : null}
        {tab === "limits" ? <LimitsTab tenant={tenant} live={live} /> : null}
        {tab === "keys" ? <TenantKeys tenant={tenant.data} /> : null}
      </Tabs>
    </div>
  );
}

function TenantBanners({ tenant }: Readonly<{ tenant: Tenant }>) {
  const { clock } = usePreferences();
  const budget = budgetUse(tenant);
  return (
    <>
      {tenant.status === "suspended" ? (
        <Notice tone="watch" shape="triangle">
          Suspended: every request of it is refused.
        </Notice>
      ) : null}
      {budget !== null && budget.part >= 1 ? (
        <Notice tone="watch" shape="triangle">
          Budget used up: requests are refused with 403
          {budget.resetsTsMs === null ? "." : ` until ${formatDayTime(budget.resetsTsMs, clock)}.`}
        </Notice>
      ) : null}
    </>
  );
}

interface Counts {
  readonly in_flight: number;
  readonly held: number;
  readonly queued: number;
}

const NO_WORK: Counts = { in_flight: 0, held: 0, queued: 0 };

/** `here` is null while the live state is not known. */
function answerOf(tenant: Tenant, here: Counts | null): string {
  if (tenant.status === "suspended") return "Suspended.";
  const terms = `Group ${tenant.group}, weight ${formatExact(tenant.weight)}.`;
  if (here === null) return terms;
  const inUse = here.in_flight + here.held;
  if (inUse + here.queued === 0) return `${terms} No work now.`;
  return `${terms} ${slotCount(inUse)} in use, ${formatExact(here.queued)} waiting.`;
}
