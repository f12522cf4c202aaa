/** A tenant's edit inside one pool: its weight everywhere, and its cap on this model. */
import type { PreviewChange } from "@obleth/fairshare/preview";
import { parseSlots, parseWeight } from "../../../lib/weight";

/** As the tenant; a cap of its own on this model; none on this model. */
export type CapChoice = "tenant" | "own" | "none";

export interface TenantDraft {
  readonly weight: string;
  readonly cap: CapChoice;
  /** Typed slots, used with the choice `own`. */
  readonly slots: string;
}

interface TenantFacts {
  readonly weight: number;
  readonly model_caps: readonly { readonly model: string; readonly max_in_flight: number | null }[];
}

export function draftOfTenant(tenant: TenantFacts, pool: string): TenantDraft {
  const own = tenant.model_caps.find((cap) => cap.model === pool);
  const cap = own === undefined ? "tenant" : own.max_in_flight === null ? "none" : "own";
  return { weight: String(tenant.weight), cap, slots: own?.max_in_flight?.toString() ?? "" };
}

export interface DraftErrors {
  readonly weight: string | null;
  readonly slots: string | null;
}

export function draftErrors(draft: TenantDraft): DraftErrors {
  const weight = parseWeight(draft.weight);
  const slots = draft.cap === "own" ? parseSlots(draft.slots) : null;
  return {
    weight: "error" in weight ? weight.error : null,
    slots: slots !== null && "error" in slots ? slots.error : null,
  };
}

/** What a save would do; null parts stay as they are. */
export interface TenantEdit {
  readonly weight: number | null;
  /** `"tenant"` takes the model's own cap away, null is no cap here. */
  readonly cap: { readonly value: number | null | "tenant" } | null;
}

/** The difference of a draft to the tenant as it is; an invalid part counts as unchanged. */
export function editOf(draft: TenantDraft, tenant: TenantFacts, pool: string): TenantEdit {
  const weight = parseWeight(draft.weight);
  const now = draftOfTenant(tenant, pool);
  const slots = parseSlots(draft.slots);
  const value =
    draft.cap === "tenant" ? "tenant" : draft.cap === "none" ? null : "value" in slots ? slots.value : undefined;
  const isSameCap = draft.cap === now.cap && (draft.cap !== "own" || draft.slots.trim() === now.slots);
  return {
    weight: "value" in weight && weight.value !== tenant.weight ? weight.value : null,
    cap: isSameCap || value === undefined ? null : { value },
  };
}

export function isUnchanged(edit: TenantEdit): boolean {
  return edit.weight === null && edit.cap === null;
}

/** The edit as the preview takes it. */
export function previewChangesOf(edit: TenantEdit, where: { tenantId: string; pool: string }): PreviewChange[] {
  const changes: PreviewChange[] = [];
  if (edit.weight !== null) changes.push({ kind: "tenant_weight", id: where.tenantId, value: edit.weight });
  if (edit.cap !== null) {
    changes.push({ kind: "tenant_model_cap", id: where.tenantId, model: where.pool, value: edit.cap.value });
  }
  return changes;
}

/** "weight 50 to 120", "cap on llama-70b 8", both joined. */
export function editWords(edit: TenantEdit, tenant: TenantFacts, pool: string): string {
  const words: string[] = [];
  if (edit.weight !== null) words.push(`weight ${tenant.weight} to ${edit.weight}`);
  if (edit.cap !== null) {
    const { value } = edit.cap;
    words.push(
      value === "tenant"
        ? `cap on ${pool} as the tenant`
        : value === null
          ? `no cap on ${pool}`
          : `cap on ${pool} ${value}`,
    );
  }
  return words.join(", ");
}
