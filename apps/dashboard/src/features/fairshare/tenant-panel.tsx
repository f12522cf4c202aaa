"use client";

import { useQuery } from "@tanstack/react-query";
import { type RefObject, useMemo, useRef } from "react";
import { DraftBar } from "../../components/change/draft-bar";
import { SaveProblem } from "../../components/change/save-problem";
import { AlertDialog } from "../../components/ui/dialog";
import { Failure } from "../../components/ui/failure";
import { SheetBody, SheetFooter, SheetFrame } from "../../components/ui/sheet";
import { Skeleton } from "../../components/ui/skeleton";
import { errorMessage } from "../../lib/api";
import { saveTier } from "../../lib/save-tier";
import { useDraft } from "../../lib/use-draft";
import { tenantQuery, type Versioned } from "../../queries/objects";
import type { Live, LivePool, LiveTenant, Tenant } from "../../queries/wire";
import { draftErrors, draftOfTenant, editOf, editWords, isUnchanged, type TenantDraft } from "./logic/tenant-draft";
import { PanelFacts, PanelLinks } from "./panel-facts";
import { TenantEditor } from "./tenant-editor";
import { TenantPreview } from "./tenant-preview";
import { TenantTrend } from "./tenant-trend";
import { usePanelSave } from "./use-panel-save";
import { useTenantPreview } from "./use-tenant-preview";

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
  const closing = useRef(onClose);
  return (
    <SheetFrame
      title={data?.data.name ?? here?.name ?? "Tenant"}
      description={data ? <PanelFacts here={here} tenant={data.data} pool={pool} /> : null}
      onClose={() => closing.current()}
      rowId={tenantId}
    >
      {data ? (
        <LoadedPanel
          key={`${tenantId} ${pool.model}`}
          live={live}
          pool={pool}
          here={here}
          tenant={data}
          isStale={isStale}
          onClose={onClose}
          closing={closing}
        />
      ) : (
        <SheetBody>
          {error ? (
            <Failure what="Cannot read the tenant" error={error} onRetry={() => void refetch()} />
          ) : (
            <Skeleton className="h-64" />
          )}
        </SheetBody>
      )}
    </SheetFrame>
  );
}

interface LoadedPanelProps {
  live: Live;
  pool: LivePool;
  here: LiveTenant | undefined;
  tenant: Versioned<Tenant>;
  isStale: boolean;
  onClose: () => void;
  /** What closing does while this is shown: it asks before a draft is left. */
  closing: RefObject<() => void>;
}

function LoadedPanel({ live, pool, here, tenant, isStale, onClose, closing }: Readonly<LoadedPanelProps>) {
  const { data } = tenant;
  const initial = useMemo(() => draftOfTenant(data, pool.model), [data, pool.model]);
  const draft = useDraft<TenantDraft>(`tenant.${data.id}.${pool.model}`, { initial, etag: tenant.etag });
  const { shown, change } = draft;
  const edit = editOf(shown, data, pool.model);
  const errors = draftErrors(shown);
  const isDirty = !isUnchanged(edit) || errors.weight !== null || errors.slots !== null;
  const preview = useTenantPreview({ live, pool, tenant: data, edit });
  const { save, isAsking, ask, cancel, leave } = usePanelSave({
    tenant,
    pool: pool.model,
    edit,
    draft,
    onClose,
    isDirty,
  });
  closing.current = ask;
  return (
    <>
      <SheetBody>
        <SaveProblem objectId={data.id} save={save} fields={["weight"]} />
        <TenantEditor
          draft={shown}
          errors={{ weight: save.field === "weight" ? errorMessage(save.error) : errors.weight, slots: errors.slots }}
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
      </SheetBody>
      <SheetFooter>
        <DraftBar
          objectId={data.id}
          save={save}
          isDirty={isDirty}
          isBlocked={errors.weight !== null || errors.slots !== null}
          tier={saveTier(preview.rows)}
          onDiscard={() => change(null)}
        />
      </SheetFooter>
      <LeaveDialog isOpen={isAsking} words={editWords(edit, data, pool.model)} onLeave={leave} onStay={cancel} />
    </>
  );
}

interface LeaveDialogProps {
  isOpen: boolean;
  /** What is not saved; empty when it cannot be said. */
  words: string;
  onLeave: () => void;
  onStay: () => void;
}

function LeaveDialog({ isOpen, words, onLeave, onStay }: Readonly<LeaveDialogProps>) {
  return (
    <AlertDialog
      isOpen={isOpen}
      title="Leave the draft?"
      confirmLabel="Leave it"
      onConfirm={onLeave}
      onCancel={onStay}
      cancelLabel="Go on editing"
    >
      <p>{words || "What you typed"} is not saved. It is kept in this tab until you come back.</p>
    </AlertDialog>
  );
}
