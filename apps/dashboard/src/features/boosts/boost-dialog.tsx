"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { PreviewCard } from "../../components/preview/preview-card";
import { Button } from "../../components/ui/button";
import { Dialog } from "../../components/ui/dialog";
import { Field, INPUT, SelectField, TextField } from "../../components/ui/field";
import { Segmented } from "../../components/ui/segmented";
import { api, errorField, errorMessage } from "../../lib/api";
import { formatMinute, plural } from "../../lib/format";
import { usePreferences } from "../../lib/preferences";
import { hasWork, rowsOfAnswer } from "../../lib/preview-rows";
import { serverNowMs } from "../../lib/server-clock";
import { NEEDS_ADMIN, useSession } from "../../lib/session";
import { useNow } from "../../lib/use-now";
import { useSave } from "../../lib/use-save";
import { numberOf } from "../../lib/weight";
import { boostsQuery } from "../../queries/boosts";
import { modelsQuery, tenantsQuery } from "../../queries/objects";
import { useServerPreview } from "../../queries/use-server-preview";
import type { Tenant } from "../../queries/wire";
import {
  type BoostDraft,
  boostErrors,
  EMPTY_BOOST,
  factorOf,
  isBoostReady,
  isLargeBoost,
  minutesOf,
  strengthOf,
} from "./logic/boost-draft";

interface BoostDialogProps {
  /** What is known already: a tenant, a model, or a boost to extend. */
  initial: Partial<BoostDraft>;
  onClose: () => void;
}

/** Gives a tenant more weight for a while, with who pays for it. */
export function BoostDialog({ initial, onClose }: Readonly<BoostDialogProps>) {
  const [draft, setDraft] = useState<BoostDraft>({ ...EMPTY_BOOST, ...initial });
  const [isAsking, setIsAsking] = useState(false);
  const tenant = useQuery(tenantsQuery()).data?.items.find((one) => one.id === draft.tenantId);
  const { isAdmin } = useSession();
  const save = useSave();
  const change = (next: Partial<BoostDraft>) => {
    setIsAsking(false);
    setDraft({ ...draft, ...next });
  };
  const isReady = isBoostReady(draft);
  const send = () => {
    if (isLargeBoost(draft, tenant?.weight ?? 100) && !isAsking) return setIsAsking(true);
    save.mutate({ done: `${tenant?.name ?? "Tenant"} is boosted`, send: () => createBoost(draft), onSaved: onClose });
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Boost a tenant"
      description="A temporary weight. It ends by itself; caps and budgets stay as they are."
      className="max-w-xl"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            disabled={!isReady || !isAdmin || save.isPending}
            title={isAdmin ? undefined : NEEDS_ADMIN}
            onClick={send}
          >
            {isAsking ? "Yes, boost it" : "Boost"}
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        <BoostFields draft={draft} onChange={change} error={save.error} />
        <BoostEffect draft={draft} tenant={tenant} />
        {isAsking ? (
          <p role="alert" className="text-small">
            This is more than five times the weight or longer than four hours. Boost it anyway?
          </p>
        ) : null}
        {save.error && errorField(save.error) === null ? (
          <p role="alert" className="text-small text-urgent">
            {errorMessage(save.error)}
          </p>
        ) : null}
      </div>
    </Dialog>
  );
}

interface BoostFieldsProps {
  draft: BoostDraft;
  onChange: (change: Partial<BoostDraft>) => void;
  error: unknown;
}

function BoostFields({ draft, onChange, error }: Readonly<BoostFieldsProps>) {
  const tenants = useQuery(tenantsQuery()).data?.items ?? [];
  const models = useQuery(modelsQuery()).data?.items ?? [];
  const errors = boostErrors(draft);
  const field = errorField(error);
  const refused = (name: string) => (field === name ? errorMessage(error) : null);
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="Tenant"
          value={draft.tenantId}
          onValue={(tenantId) => onChange({ tenantId })}
          options={[
            { value: "", label: "Choose a tenant" },
            ...tenants.map((one) => ({ value: one.id, label: one.name })),
          ]}
        />
        <SelectField
          label="Where"
          value={draft.model}
          onValue={(model) => onChange({ model })}
          options={[{ value: "", label: "All pools" }, ...models.map((one) => ({ value: one.name, label: one.name }))]}
        />
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="How much" error={refused("factor") ?? refused("weight") ?? errors.strength}>
          {({ id, describedBy, isInvalid }) => (
            <div className="flex gap-2">
              <Segmented
                label="Factor or weight"
                value={draft.kind}
                options={[
                  { value: "factor", label: "Times" },
                  { value: "weight", label: "Weight" },
                ]}
                onValue={(kind) => onChange({ kind, strength: kind === "factor" ? "3" : "500" })}
              />
              <input
                id={id}
                inputMode="decimal"
                aria-describedby={describedBy}
                aria-invalid={isInvalid}
                value={draft.strength}
                onChange={(event) => onChange({ strength: event.target.value })}
                className={INPUT}
              />
            </div>
          )}
        </Field>
        <DurationField draft={draft} onChange={onChange} error={refused("expires_at") ?? errors.minutes} />
      </div>
      <TextField
        label="Reason, shown to all"
        value={draft.reason}
        onValue={(reason) => onChange({ reason })}
        maxLength={500}
        hint="For example the incident's number"
        error={refused("reason")}
      />
    </>
  );
}

const DURATIONS = [
  { label: "15 min", minutes: "15" },
  { label: "1 h", minutes: "60" },
  { label: "4 h", minutes: "240" },
];

function DurationField({
  draft,
  onChange,
  error,
}: Readonly<{ draft: BoostDraft; onChange: BoostFieldsProps["onChange"]; error: string | null }>) {
  return (
    <Field label="For, in minutes" error={error}>
      {({ id, describedBy, isInvalid }) => (
        <div className="flex gap-1">
          <input
            id={id}
            inputMode="numeric"
            aria-describedby={describedBy}
            aria-invalid={isInvalid}
            value={draft.minutes}
            onChange={(event) => onChange({ minutes: event.target.value })}
            className={`${INPUT} num`}
          />
          {DURATIONS.map((duration) => (
            <Button
              key={duration.minutes}
              aria-pressed={draft.minutes === duration.minutes}
              onClick={() => onChange({ minutes: duration.minutes })}
              className="px-2 text-micro"
            >
              {duration.label}
            </Button>
          ))}
        </div>
      )}
    </Field>
  );
}

function BoostEffect({ draft, tenant }: Readonly<{ draft: BoostDraft; tenant: Tenant | undefined }>) {
  const { clock } = usePreferences();
  const nowMs = useNow(10_000);
  const boosts = useQuery(boostsQuery("active")).data?.items ?? [];
  const factor = tenant ? factorOf(draft, tenant.weight) : null;
  const changes = useMemo(
    () =>
      draft.tenantId === "" || factor === null
        ? []
        : [
            {
              kind: "boost" as const,
              id: draft.tenantId,
              value: factor,
              ...(draft.model === "" ? {} : { model: draft.model }),
            },
          ],
    [draft.tenantId, draft.model, factor],
  );
  const { data } = useServerPreview(changes);
  const minutes = minutesOf(draft);
  if (tenant === undefined || factor === null) return null;
  const rows = rowsOfAnswer(data?.pools ?? []).filter(hasWork);
  const replaced = boosts.find((boost) => boost.tenant_id === tenant.id && (boost.model ?? "") === draft.model);
  return (
    <div className="space-y-3">
      {replaced ? (
        <p className="text-small text-text-2">
          It replaces the boost “{replaced.reason}” of {replaced.created_by}.
        </p>
      ) : null}
      {minutes === null ? null : (
        <p className="num text-small text-text-2">
          At {formatMinute(nowMs + minutes * 60_000, clock)} its weight goes back to {tenant.weight}.
        </p>
      )}
      {data && rows.length === 0 ? (
        <p className="text-small text-text-2">It has no work now: no effect until it sends.</p>
      ) : null}
      {rows.slice(0, 3).map((row) => (
        <PreviewCard key={row.pool} row={row} subject={tenant.id} level="tenant" />
      ))}
      {rows.length > 3 ? <p className="text-micro text-text-3">and {plural(rows.length - 3, "more pool")}</p> : null}
    </div>
  );
}

function createBoost(draft: BoostDraft) {
  const minutes = minutesOf(draft) ?? 1;
  const strength = numberOf(strengthOf(draft));
  return api.call("createBoost", {
    body: {
      tenant_id: draft.tenantId,
      model: draft.model === "" ? null : draft.model,
      reason: draft.reason.trim(),
      expires_at: new Date(serverNowMs() + minutes * 60_000).toISOString(),
      ...(draft.kind === "factor" ? { factor: strength } : { weight: strength }),
    },
  });
}
