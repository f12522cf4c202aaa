"use client";

import { useState } from "react";
import { api } from "../../lib/api";
import type { DraftOf } from "../../lib/use-draft";
import { useDraftSave } from "../../lib/use-draft-save";
import { tenantQuery, type Versioned } from "../../queries/objects";
import type { Tenant } from "../../queries/wire";
import { draftOfTenant, editOf, editWords, type TenantDraft, type TenantEdit } from "./logic/tenant-draft";

interface PanelSaveInput {
  tenant: Versioned<Tenant>;
  pool: string;
  edit: TenantEdit;
  draft: DraftOf<TenantDraft>;
  onClose: () => void;
  isDirty: boolean;
}

/** Saving a tenant's draft, what to do when somebody else saved first, and asking before one is left. */
export function usePanelSave({ tenant, pool, edit, draft, onClose, isDirty }: PanelSaveInput) {
  const [isAsking, setIsAsking] = useState(false);
  const save = useDraftSave({
    object: tenant,
    query: tenantQuery(tenant.data.id),
    draft,
    done: `${tenant.data.name}: ${editWords(edit, tenant.data, pool)}`,
    send: (now, { touched, options }) =>
      sendEdit(now, { pool, edit: editOf({ ...draftOfTenant(now, pool), ...touched }, now, pool), options }),
  });
  return {
    isAsking,
    ask: () => (isDirty ? setIsAsking(true) : onClose()),
    cancel: () => setIsAsking(false),
    leave: onClose,
    save,
  };
}

/** One call for one change; both together go in one, so that one revert takes both back. */
function sendEdit(tenant: Tenant, given: { pool: string; edit: TenantEdit; options: { ifMatch?: string } }) {
  const { pool, edit, options } = given;
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
