"use client";

import Link from "next/link";
import { useId } from "react";
import { INPUT, Stepper } from "../../components/ui/field";
import { cn } from "../../lib/cn";
import { formatExact } from "../../lib/format";
import { useSession } from "../../lib/session";
import { stepWeight } from "../../lib/weight";
import type { Tenant } from "../../queries/wire";
import type { CapChoice, DraftErrors, TenantDraft } from "./logic/tenant-draft";

interface TenantEditorProps {
  draft: TenantDraft;
  errors: DraftErrors;
  tenant: Tenant;
  pool: string;
  onChange: (draft: TenantDraft) => void;
}

/** The weight, and the cap on the open pool. */
export function TenantEditor({ draft, errors, tenant, pool, onChange }: Readonly<TenantEditorProps>) {
  const { isAdmin } = useSession();
  return (
    <div className="space-y-4">
      <Stepper
        label="Weight"
        value={draft.weight}
        onValue={(weight) => onChange({ ...draft, weight })}
        step={(direction, isFine) => stepWeight(draft.weight, direction, isFine)}
        error={errors.weight}
        hint={
          draft.weight === String(tenant.weight)
            ? "Counts in every pool. Arrows step by a tenth, with Shift by 1."
            : `was ${formatExact(tenant.weight)}`
        }
        disabled={!isAdmin}
        data-weight
        className="max-w-40"
      />
      <CapEditor
        draft={draft}
        error={errors.slots}
        tenant={tenant}
        pool={pool}
        isDisabled={!isAdmin}
        onChange={onChange}
      />
    </div>
  );
}

interface CapEditorProps {
  draft: TenantDraft;
  error: string | null;
  tenant: Tenant;
  pool: string;
  isDisabled: boolean;
  onChange: (draft: TenantDraft) => void;
}

function CapEditor({ draft, error, tenant, pool, isDisabled, onChange }: Readonly<CapEditorProps>) {
  const name = useId();
  const tenantWide = tenant.max_in_flight === null ? "no cap" : formatExact(tenant.max_in_flight);
  const choices: readonly { readonly value: CapChoice; readonly label: string }[] = [
    { value: "tenant", label: `As the tenant: ${tenantWide}` },
    { value: "own", label: "Its own here:" },
    { value: "none", label: "No cap here" },
  ];
  return (
    <fieldset disabled={isDisabled} className="min-w-0">
      <legend className="mb-1 text-micro text-text-2">
        Cap on <span className="name">{pool}</span>
      </legend>
      <div>
        {choices.map((choice) => (
          <span key={choice.value} className="flex min-h-9 items-center gap-2">
            <label className="flex h-8 items-center gap-2 text-small">
              <input
                type="radio"
                name={name}
                className="size-4 accent-(--text)"
                checked={draft.cap === choice.value}
                onChange={() => onChange({ ...draft, cap: choice.value })}
              />
              {choice.label}
            </label>
            {choice.value === "own" ? (
              <input
                inputMode="numeric"
                aria-label={`Slots on ${pool}`}
                aria-invalid={error ? true : undefined}
                value={draft.slots}
                onChange={(event) => onChange({ ...draft, cap: "own", slots: event.target.value })}
                className={cn(INPUT, "num w-20")}
              />
            ) : null}
          </span>
        ))}
      </div>
      {error ? (
        <p role="alert" className="mt-1 text-micro text-urgent">
          {error}
        </p>
      ) : null}
      <p className="mt-1 text-micro text-text-3">
        Counts on this model only.{" "}
        <Link className="link" href={`/tenants/${encodeURIComponent(tenant.id)}?tab=limits`}>
          Its cap on every model
        </Link>
      </p>
    </fieldset>
  );
}
