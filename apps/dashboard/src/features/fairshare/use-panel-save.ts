"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, isStaleEdit } from "../../lib/api";
import { useSave } from "../../lib/use-save";
import { tenantQuery, type Versioned } from "../../queries/objects";
import type { Tenant } from "../../queries/wire";
import { editWords, type TenantDraft, type TenantEdit } from "./logic/tenant-draft";

interface PanelSaveInput {
  tenant: Versioned<Tenant>;
  pool: string;
  edit: TenantEdit;
  change: (draft: TenantDraft | null) => void;
  onClose: () => void;
  isDirty: boolean;
}

/** Saving a tenant's draft, what to do when somebody else saved first, and asking before one is left. */
export function usePanelSave({ tenant, pool, edit, change, onClose, isDirty }: PanelSaveInput) {
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
