"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { parseAsBoolean, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useMemo, useState } from "react";
import { PageHeader } from "../../components/layout/page-header";
import { type Column, ObjectTable } from "../../components/table/object-table";
import { useSorting } from "../../components/table/use-sorting";
import { Button } from "../../components/ui/button";
import { AlertDialog } from "../../components/ui/dialog";
import { Failure } from "../../components/ui/failure";
import { Empty } from "../../components/ui/notice";
import { Panel } from "../../components/ui/panel";
import { Segmented } from "../../components/ui/segmented";
import { SkeletonRows } from "../../components/ui/skeleton";
import { api, errorMessage } from "../../lib/api";
import { formatAgo, formatDayTime, formatTimeLeft, plural, type Zone } from "../../lib/format";
import { usePreferences } from "../../lib/preferences";
import { NEEDS_ADMIN, useSession } from "../../lib/session";
import { useNow } from "../../lib/use-now";
import { useSave } from "../../lib/use-save";
import { boostsQuery } from "../../queries/boosts";
import type { Boost } from "../../queries/wire";
import { BoostDialog } from "./boost-dialog";
import { BoostEffect } from "./boost-effect";
import type { BoostDraft } from "./logic/boost-draft";

const params = {
  state: parseAsStringLiteral(["active", "ended"]).withDefault("active"),
  new: parseAsBoolean.withDefault(false),
  tenant: parseAsString,
  model: parseAsString,
};

/** Who is boosted, until when, and who pays. */
export function BoostsPage() {
  const [{ state, new: isNew, tenant, model }, setParams] = useQueryStates(params);
  const { data, error, refetch } = useQuery(boostsQuery(state));
  const active = useQuery(boostsQuery("active")).data?.items;
  const [extending, setExtending] = useState<Partial<BoostDraft> | null>(null);
  const { isAdmin } = useSession();
  const close = () => {
    setExtending(null);
    void setParams({ new: null, tenant: null, model: null });
  };
  return (
    <>
      <PageHeader
        title="Boosts"
        answer={active === undefined ? "" : activeWords(active.length)}
        actions={
          <Button
            variant="primary"
            disabled={!isAdmin}
            title={isAdmin ? undefined : NEEDS_ADMIN}
            onClick={() => void setParams({ new: true })}
          >
            Boost a tenant
          </Button>
        }
      />
      <Panel
        label="Boosts"
        bodyClassName="p-0"
        actions={
          <Segmented
            label="Which boosts"
            value={state}
            options={[
              { value: "active", label: "In force" },
              { value: "ended", label: "Ended" },
            ]}
            onValue={(next) => void setParams({ state: next })}
          />
        }
      >
        {error && !data ? <Failure what="Cannot read the boosts" error={error} onRetry={() => void refetch()} /> : null}
        {data ? (
          <BoostTable boosts={data.items} isEnded={state === "ended"} onExtend={setExtending} />
        ) : error ? null : (
          <SkeletonRows rows={3} label="Reading the boosts" />
        )}
      </Panel>
      {(isNew || extending) && isAdmin ? (
        <BoostDialog
          initial={extending ?? { ...(tenant ? { tenantId: tenant } : {}), ...(model ? { model } : {}) }}
          onClose={close}
        />
      ) : null}
    </>
  );
}

function activeWords(count: number): string {
  return count === 0 ? "Nobody is boosted." : `${plural(count, "boost")} in force.`;
}

interface BoostTableProps {
  boosts: readonly Boost[];
  isEnded: boolean;
  onExtend: (draft: Partial<BoostDraft>) => void;
}

function BoostTable({ boosts, isEnded, onExtend }: Readonly<BoostTableProps>) {
  const [sorting, setSorting] = useSorting({ key: "ends", direction: isEnded ? "desc" : "asc" });
  const { clock } = usePreferences();
  const nowMs = useNow(1000);
  const columns = useMemo(() => boostColumns({ isEnded, clock, nowMs, onExtend }), [isEnded, clock, nowMs, onExtend]);
  if (boosts.length === 0) {
    return (
      <Empty title={isEnded ? "No boost has ended yet" : "Nobody is boosted"}>
        A boost gives a tenant more weight during an incident and takes it back by itself.
      </Empty>
    );
  }
  return (
    <ObjectTable
      label="Boosts"
      rows={boosts}
      columns={columns}
      idOf={(boost) => boost.id}
      sorting={sorting}
      onSorting={setSorting}
    />
  );
}

interface ColumnInput {
  isEnded: boolean;
  clock: Zone;
  nowMs: number;
  onExtend: BoostTableProps["onExtend"];
}

function boostColumns({ isEnded, clock, nowMs, onExtend }: ColumnInput): Column<Boost>[] {
  return [
    {
      key: "tenant",
      label: "Tenant",
      sortBy: (boost) => boost.tenant_name,
      render: (boost) => (
        <Link className="name hover:underline" data-row-link href={`/tenants/${boost.tenant_id}`}>
          {boost.tenant_name}
        </Link>
      ),
    },
    {
      key: "where",
      label: "Where",
      sortBy: (boost) => boost.model ?? "",
      className: "min-w-24",
      render: (boost) => <span className="name">{boost.model ?? "All pools"}</span>,
    },
    {
      key: "strength",
      label: "How much",
      sortBy: (boost) => boost.factor,
      render: (boost) => (
        <span className="num">{boost.weight === null ? `x${boost.factor}` : `weight ${boost.weight}`}</span>
      ),
    },
    {
      key: "ends",
      label: isEnded ? "Ended" : "Ends in",
      sortBy: (boost) => boost.ended_at ?? boost.expires_at,
      render: (boost) => (
        <span className="num whitespace-nowrap" title={formatDayTime(Date.parse(boost.expires_at), clock)}>
          {isEnded
            ? formatAgo(nowMs - Date.parse(boost.ended_at ?? boost.expires_at))
            : formatTimeLeft(Date.parse(boost.expires_at) - nowMs)}
        </span>
      ),
    },
    ...(isEnded
      ? []
      : [
          {
            key: "effect",
            label: "Gives now",
            isWide: true,
            className: "min-w-36",
            render: (boost: Boost) => <BoostEffect boost={boost} />,
          },
        ]),
    { key: "by", label: "By", render: (boost) => <span className="name">{boost.created_by}</span> },
    {
      key: "reason",
      label: "Reason",
      isWide: true,
      className: "min-w-48",
      render: (boost) => <span className="name text-text-2">{boost.reason}</span>,
    },
    ...(isEnded
      ? []
      : [
          {
            key: "actions",
            label: "Actions",
            isWide: true,
            className: "w-44 text-right",
            render: (boost: Boost) => <BoostActions boost={boost} onExtend={onExtend} />,
          },
        ]),
  ];
}

function BoostActions({ boost, onExtend }: Readonly<{ boost: Boost; onExtend: BoostTableProps["onExtend"] }>) {
  const [isAsking, setIsAsking] = useState(false);
  const { isAdmin } = useSession();
  const save = useSave();
  const extend = () =>
    onExtend({
      tenantId: boost.tenant_id,
      model: boost.model ?? "",
      kind: boost.weight === null ? "factor" : "weight",
      strength: String(boost.weight ?? boost.factor),
      reason: boost.reason,
    });
  return (
    <span className="flex justify-end gap-1">
      <Button size="small" variant="ghost" disabled={!isAdmin} onClick={extend}>
        Extend
      </Button>
      <Button size="small" disabled={!isAdmin} onClick={() => setIsAsking(true)}>
        End now
      </Button>
      <AlertDialog
        isOpen={isAsking}
        title={`End the boost of ${boost.tenant_name}?`}
        confirmLabel="End now"
        isPending={save.isPending}
        onCancel={() => setIsAsking(false)}
        onConfirm={() =>
          save.mutate({
            done: `Boost of ${boost.tenant_name} ended`,
            send: () => api.call("endBoost", { params: { id: boost.id } }),
            onSaved: () => setIsAsking(false),
          })
        }
      >
        <p>Its weight is the usual one from the next admission on. Running requests are not cut.</p>
        {save.error ? <p role="alert">{errorMessage(save.error)}</p> : null}
      </AlertDialog>
    </span>
  );
}
