"use client";

import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useMemo, useState } from "react";
import { ConfirmByName } from "../../components/change/confirm-by-name";
import { DraftBar } from "../../components/change/draft-bar";
import { SaveProblem } from "../../components/change/save-problem";
import { PreviewCard } from "../../components/preview/preview-card";
import { Button } from "../../components/ui/button";
import { AlertDialog } from "../../components/ui/dialog";
import { SelectField, Stepper, TextField } from "../../components/ui/field";
import { Panel } from "../../components/ui/panel";
import { api, errorMessage } from "../../lib/api";
import { plural } from "../../lib/format";
import { rowsOfAnswer } from "../../lib/preview-rows";
import { saveTier } from "../../lib/save-tier";
import { useSession } from "../../lib/session";
import { useDraft } from "../../lib/use-draft";
import { useDraftSave } from "../../lib/use-draft-save";
import { useSave } from "../../lib/use-save";
import { stepWeight } from "../../lib/weight";
import { groupsQuery, tenantQuery, type Versioned } from "../../queries/objects";
import { useServerPreview } from "../../queries/use-server-preview";
import type { Live, Tenant } from "../../queries/wire";
import { type LimitsDraft, limitsBody, limitsChanges, limitsDraft, limitsErrors } from "./logic/limits-draft";
import { ModelCaps } from "./model-caps";

interface LimitsTabProps {
  tenant: Versioned<Tenant>;
  live: Live | undefined;
}

/** Fields that say beside their control why they were refused. */
const OWN_PLACE = ["group", "weight", "max_in_flight", "tokens_per_minute", "budget_tokens", "budget_cost_usd"];

/** Group, weight, caps and budgets, with who gains and who gives. */
export function LimitsTab({ tenant, live }: Readonly<LimitsTabProps>) {
  const { data } = tenant;
  const initial = useMemo(() => limitsDraft(data), [data]);
  const draft = useDraft<LimitsDraft>(`limits.${data.id}`, { initial, etag: tenant.etag });
  const { shown, change } = draft;
  const errors = limitsErrors(shown);
  const body = limitsBody(shown, data);
  const isDirty = draft.kept !== null;
  const changes = useMemo(() => limitsChanges(body, data.id), [body, data.id]);
  const preview = useServerPreview(changes);
  const rows = changes.length === 0 ? [] : rowsOfAnswer(preview.data?.pools ?? []);
  const save = useDraftSave({
    object: tenant,
    query: tenantQuery(data.id),
    draft,
    done: `${data.name} changed`,
    send: (now, { touched, options }) =>
      api.call(
        "updateTenant",
        { params: { id: now.id }, body: limitsBody({ ...limitsDraft(now), ...touched }, now) },
        options,
      ),
  });
  return (
    <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
      <Panel title="Limits" bodyClassName="space-y-4 p-4">
        <LimitsFields
          draft={shown}
          onChange={change}
          errors={errors}
          refused={(name) => (save.field === name ? errorMessage(save.error) : null)}
        />
        <SaveProblem objectId={data.id} save={save} fields={OWN_PLACE} />
        <DraftBar
          objectId={data.id}
          save={save}
          isDirty={isDirty}
          isBlocked={Object.values(errors).some((error) => error !== null)}
          tier={saveTier(rows)}
          onDiscard={() => change(null)}
        />
      </Panel>
      <div className="space-y-4">
        {isDirty && changes.length > 0 ? (
          <Panel title="Preview" bodyClassName="space-y-3 p-4">
            {rows.length === 0 ? <p className="text-small text-text-2">Nothing moves until it has work.</p> : null}
            {rows.map((row) => (
              <PreviewCard key={row.pool} row={row} subject={data.id} level="tenant" />
            ))}
          </Panel>
        ) : null}
        <ModelCaps tenant={data} live={live} />
        <DangerPanel tenant={tenant} live={live} />
      </div>
    </div>
  );
}

interface LimitsFieldsProps {
  draft: LimitsDraft;
  onChange: (draft: LimitsDraft) => void;
  errors: ReturnType<typeof limitsErrors>;
  refused: (field: string) => string | null;
}

function LimitsFields({ draft, onChange, errors, refused }: Readonly<LimitsFieldsProps>) {
  const { isAdmin } = useSession();
  const groups = useQuery(groupsQuery()).data?.items ?? [];
  const set = (change: Partial<LimitsDraft>) => onChange({ ...draft, ...change });
  return (
    <fieldset disabled={!isAdmin} className="grid gap-4 sm:grid-cols-2">
      <SelectField
        label="Group"
        value={draft.group}
        onValue={(group) => set({ group })}
        options={groups.map((one) => ({ value: one.name, label: one.name }))}
        error={refused("group")}
      />
      <Stepper
        label="Weight"
        value={draft.weight}
        disabled={!isAdmin}
        onValue={(weight) => set({ weight })}
        step={(direction, isFine) => stepWeight(draft.weight, direction, isFine)}
        error={errors.weight ?? refused("weight")}
      />
      <TextField
        label="Cap on every model"
        inputMode="numeric"
        value={draft.cap}
        onValue={(cap) => set({ cap })}
        placeholder="no cap"
        hint="Most slots in each pool, where no cap of its own stands"
        error={errors.cap ?? refused("max_in_flight")}
      />
      <TextField
        label="Tokens per minute"
        inputMode="numeric"
        value={draft.tokensPerMinute}
        onValue={(tokensPerMinute) => set({ tokensPerMinute })}
        placeholder="no limit"
        hint="Over it requests get 429 at once"
        error={errors.tokensPerMinute ?? refused("tokens_per_minute")}
      />
      <TextField
        label="Token budget"
        inputMode="numeric"
        value={draft.budgetTokens}
        onValue={(budgetTokens) => set({ budgetTokens })}
        placeholder="none"
        error={errors.budgetTokens ?? refused("budget_tokens")}
      />
      <TextField
        label="Cost budget, US dollars"
        inputMode="decimal"
        value={draft.budgetCost}
        onValue={(budgetCost) => set({ budgetCost })}
        placeholder="none"
        error={errors.budgetCost ?? refused("budget_cost_usd")}
      />
      <SelectField
        label="Budget period"
        value={draft.period}
        onValue={(period) => set({ period: period as LimitsDraft["period"] })}
        options={[
          { value: "monthly", label: "Each month" },
          { value: "term", label: "One term" },
          { value: "lifetime", label: "For ever" },
        ]}
        hint="Used up, requests get 403 until the next one"
      />
    </fieldset>
  );
}

function DangerPanel({ tenant, live }: Readonly<LimitsTabProps>) {
  const { isAdmin } = useSession();
  const [layer, setLayer] = useState<"suspend" | "delete" | null>(null);
  const save = useSave();
  const router = useRouter();
  const { data } = tenant;
  const isSuspended = data.status === "suspended";
  const setStatus = (status: Tenant["status"]) =>
    save.mutate({
      done: `${data.name} is ${status}`,
      send: () => api.call("updateTenant", { params: { id: data.id }, body: { status } }),
      onSaved: () => setLayer(null),
      isUnplaced: status === "active",
    });
  return (
    <Panel title="Suspend or delete" bodyClassName="space-y-3 p-4">
      <div className="flex flex-wrap gap-2">
        <Button
          disabled={!isAdmin || save.isPending}
          onClick={() => (isSuspended ? setStatus("active") : setLayer("suspend"))}
        >
          {isSuspended ? "Let it send again" : "Suspend"}
        </Button>
        <Button variant="danger" disabled={!isAdmin} onClick={() => setLayer("delete")}>
          Delete the tenant
        </Button>
      </div>
      <AlertDialog
        isOpen={layer === "suspend"}
        title={`Suspend ${data.name}?`}
        confirmLabel="Suspend"
        isPending={save.isPending}
        onCancel={() => setLayer(null)}
        onConfirm={() => setStatus("suspended")}
      >
        <p>
          Every request of its {plural(data.key_count, "key")} is refused from then on. {trafficWords(data.id, live)} It
          can be undone.
        </p>
        {save.error ? <p role="alert">{errorMessage(save.error)}</p> : null}
      </AlertDialog>
      {layer === "delete" ? (
        <ConfirmByName
          title={`Delete ${data.name}?`}
          name={data.name}
          confirmLabel="Delete"
          isPending={save.isPending}
          error={save.error}
          onCancel={() => setLayer(null)}
          onConfirm={() =>
            save.mutate({
              done: `${data.name} deleted`,
              send: () => api.call("deleteTenant", { params: { id: data.id } }),
              gone: tenantQuery(data.id).queryKey,
              onSaved: () => router.push("/tenants"),
            })
          }
        >
          <p>Its {plural(data.key_count, "key")} stop working. Usage and audit rows stay.</p>
        </ConfirmByName>
      ) : null}
    </Panel>
  );
}

/** What a tenant has in the pools now, and what becomes of it. */
function trafficWords(tenantId: string, live: Live | undefined): string {
  if (live === undefined) return "What runs finishes.";
  const here = live.tenants?.find((one) => one.tenant_id === tenantId);
  if (here === undefined || here.in_flight + here.queued === 0) return "Nothing of it runs or waits now.";
  return `Now ${plural(here.in_flight, "request runs", "requests run")} to the end and ${plural(here.queued, "request waits", "requests wait")}.`;
}
