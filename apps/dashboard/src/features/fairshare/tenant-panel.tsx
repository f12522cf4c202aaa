"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useMemo, useState } from "react";
import { AppliedNote } from "../../components/change/applied-note";
import { ConflictNote } from "../../components/change/conflict-note";
import { LastChange } from "../../components/change/last-change";
import { SaveBar } from "../../components/change/save-bar";
import { BoostPill } from "../../components/ui/boost-pill";
import { Button } from "../../components/ui/button";
import { AlertDialog } from "../../components/ui/dialog";
import { Failure } from "../../components/ui/failure";
import { GroupMark } from "../../components/ui/group-mark";
import { Sheet } from "../../components/ui/sheet";
import { Skeleton } from "../../components/ui/skeleton";
import { api, errorField, errorMessage, isStaleEdit } from "../../lib/api";
import { formatExact, formatWait } from "../../lib/format";
import { inUse } from "../../lib/pool-state";
import { saveTier } from "../../lib/save-tier";
import { useDraft } from "../../lib/use-draft";
import { useSave } from "../../lib/use-save";
import { tenantQuery, type Versioned } from "../../queries/objects";
import type { Live, LivePool, LiveTenant, Tenant } from "../../queries/wire";
import { standingLabel } from "./logic/standing";
import {
  draftErrors,
  draftOfTenant,
  editOf,
  editWords,
  isUnchanged,
  type TenantDraft,
  type TenantEdit,
} from "./logic/tenant-draft";
import { TenantEditor } from "./tenant-editor";
import { TenantPreview } from "./tenant-preview";
import { TenantTrend } from "./tenant-trend";
import { useTenantPreview } from "./use-tenant-preview";
import { WhyTip } from "./why-tip";

interface TenantPanelProps {
  live: Live;
  pool: LivePool;
  tenantId: string;
  isStale: boolean;
  onClose: () => void;
}

/** What a tenant has in this pool, and what a change to it would do. */
export function TenantPanel({ live, pool, tenantId, isStale, onClose }: Readonly<TenantPanelProps>) {
  const { data, error, refetch } = useQuery(tenantQuery(tenantId));
  const here = pool.tenants?.find((tenant) => tenant.tenant_id === tenantId);
  if (data === undefined) {
    return (
      <Sheet title={here?.name ?? "Tenant"} onClose={onClose} rowId={tenantId}>
        {error ? (
          <Failure what="Cannot read the tenant" error={error} onRetry={() => void refetch()} />
        ) : (
          <Skeleton className="h-64" />
        )}
      </Sheet>
    );
  }
  return <LoadedPanel live={live} pool={pool} here={here} tenant={data} isStale={isStale} onClose={onClose} />;
}

interface LoadedPanelProps {
  live: Live;
  pool: LivePool;
  here: LiveTenant | undefined;
  tenant: Versioned<Tenant>;
  isStale: boolean;
  onClose: () => void;
}

function LoadedPanel({ live, pool, here, tenant, isStale, onClose }: Readonly<LoadedPanelProps>) {
  const { data } = tenant;
  const initial = useMemo(() => draftOfTenant(data, pool.model), [data, pool.model]);
  const { draft, change } = useDraft<TenantDraft>(`tenant.${data.id}.${pool.model}`, initial);
  const shown = draft ?? initial;
  const edit = editOf(shown, data, pool.model);
  const errors = draftErrors(shown);
  const isDirty = !isUnchanged(edit) || errors.weight !== null || errors.slots !== null;
  const preview = useTenantPreview({ live, pool, tenant: data, edit });
  const { save, isAsking, ask, cancel, leave } = usePanelSave({
    tenant,
    pool: pool.model,
    edit,
    change,
    onClose,
    isDirty,
  });
  const field = errorField(save.error);
  return (
    <Sheet
      title={data.name}
      description={<PanelFacts here={here} tenant={data} pool={pool} />}
      onClose={ask}
      rowId={data.id}
      footer={
        <div className="space-y-2">
          <SaveBar
            isDirty={isDirty}
            isBlocked={errors.weight !== null || errors.slots !== null}
            isSaving={save.isPending}
            tier={saveTier(preview.rows)}
            onSave={() => save.run(tenant.etag)}
            onDiscard={() => change(null)}
          >
            <AppliedNote configVersion={save.configVersion} />
          </SaveBar>
          <LastChange objectId={data.id} />
        </div>
      }
    >
      {save.isConflict ? (
        <ConflictNote objectId={data.id} onKeepTheirs={save.keepTheirs} onApplyMine={save.applyMine} />
      ) : null}
      {save.error && !save.isConflict && field === null ? (
        <p role="alert" className="text-small text-urgent">
          Not saved. {errorMessage(save.error)}
        </p>
      ) : null}
      <TenantEditor
        draft={shown}
        errors={{ weight: field === "weight" ? errorMessage(save.error) : errors.weight, slots: errors.slots }}
        tenant={data}
        pool={pool.model}
        onChange={change}
      />
      <TenantPreview
        preview={preview}
        tenantId={data.id}
        isDirty={!isUnchanged(edit)}
        isStale={isStale}
        isIdle={here === undefined}
      />
      <TenantTrend tenantId={data.id} model={pool.model} />
      <PanelLinks tenant={data} pool={pool.model} />
      <AlertDialog
        isOpen={isAsking}
        title="Leave the draft?"
        confirmLabel="Leave it"
        onConfirm={leave}
        onCancel={cancel}
        cancelLabel="Go on editing"
      >
        <p>
          {editWords(edit, data, pool.model) || "What you typed"} is not saved. It is kept in this tab until you come
          back.
        </p>
      </AlertDialog>
    </Sheet>
  );
}

interface PanelSaveInput {
  tenant: Versioned<Tenant>;
  pool: string;
  edit: TenantEdit;
  change: (draft: TenantDraft | null) => void;
  onClose: () => void;
  isDirty: boolean;
}

function usePanelSave({ tenant, pool, edit, change, onClose, isDirty }: PanelSaveInput) {
  const mutation = useSave();
  const query = useQuery(tenantQuery(tenant.data.id));
  const [isAsking, setIsAsking] = useState(false);
  const run = (etag: string | null) =>
    mutation.mutate({
      done: `${tenant.data.name}: ${editWords(edit, tenant.data, pool)}`,
      send: () => sendEdit(tenant.data, { pool, edit, etag }),
      onSaved: () => change(null),
    });
  const reread = async () => (await query.refetch()).data;
  return {
    isAsking,
    ask: () => (isDirty ? setIsAsking(true) : onClose()),
    cancel: () => setIsAsking(false),
    leave: onClose,
    save: {
      run,
      isPending: mutation.isPending,
      error: mutation.error,
      isConflict: isStaleEdit(mutation.error),
      configVersion: mutation.data?.configVersion ?? null,
      keepTheirs: () => {
        change(null);
        mutation.reset();
        void reread();
      },
      applyMine: () => void reread().then((fresh) => run(fresh?.etag ?? null)),
    },
  };
}

/** One call for one change; both together go in one, so that one revert takes both back. */
function sendEdit(tenant: Tenant, given: { pool: string; edit: TenantEdit; etag: string | null }) {
  const { pool, edit, etag } = given;
  const options = etag === null ? {} : { ifMatch: etag };
  const params = { id: tenant.id, model: pool };
  if (edit.cap === null) {
    return api.call(
      "setTenantWeight",
      { params: { id: tenant.id }, body: { weight: edit.weight ?? tenant.weight } },
      options,
    );
  }
  const { value } = edit.cap;
  if (edit.weight === null && value === "tenant") return api.call("deleteModelCap", { params }, options);
  if (edit.weight === null && value !== "tenant")
    return api.call("setModelCap", { params, body: { max_in_flight: value } }, options);
  const others = tenant.model_caps.filter((cap) => cap.model !== pool);
  const caps = value === "tenant" ? others : [...others, { model: pool, max_in_flight: value }];
  return api.call(
    "updateTenant",
    { params: { id: tenant.id }, body: { weight: edit.weight ?? tenant.weight, model_caps: caps } },
    options,
  );
}

function PanelFacts({
  here,
  tenant,
  pool,
}: Readonly<{ here: LiveTenant | undefined; tenant: Tenant; pool: LivePool }>) {
  const color = pool.groups.find((group) => group.name === tenant.group)?.color;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span className="flex items-center gap-1.5">
        <GroupMark color={color} />
        <span className="name">{tenant.group}</span>
      </span>
      {here ? (
        <>
          <span className="num">
            {formatExact(inUse(here))} in use of a share of {formatExact(here.slot_share)}, {formatExact(here.queued)}{" "}
            waiting
            {here.oldest_wait_ms === null ? "" : `, oldest ${formatWait(here.oldest_wait_ms)}`}
          </span>
          <span className="flex items-center gap-1 text-text">
            {standingLabel(here)}
            {here.queued > 0 ? <WhyTip pool={pool.model} tenant={here} /> : null}
          </span>
          <BoostPill boost={here.boost} />
        </>
      ) : (
        <span>No work on {pool.model}</span>
      )}
    </div>
  );
}

function PanelLinks({ tenant, pool }: Readonly<{ tenant: Tenant; pool: string }>) {
  const id = encodeURIComponent(tenant.id);
  const links = [
    { href: `/boosts?new=true&tenant=${id}&model=${encodeURIComponent(pool)}`, label: "Boost" },
    { href: `/tenants/${id}`, label: "Open page" },
    { href: `/tenants/${id}?tab=keys`, label: "Keys" },
    { href: `/usage?tenant=${id}`, label: "Usage" },
    { href: `/audit?object=${id}`, label: "Audit" },
  ];
  return (
    <nav aria-label={`More about ${tenant.name}`} className="flex flex-wrap gap-2 border-t pt-4">
      {links.map((link) => (
        <Button key={link.label} asChild size="small">
          <Link href={link.href}>{link.label}</Link>
        </Button>
      ))}
    </nav>
  );
}
