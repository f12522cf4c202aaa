"use client";

import { previewChanges } from "@obleth/fairshare/preview";
import { useMemo } from "react";
import { previewInput } from "../../lib/preview-input";
import { hasWork, type PreviewRow, rowsOfAnswer, rowsOfPreview } from "../../lib/preview-rows";
import { useServerPreview } from "../../queries/use-server-preview";
import type { Live, LivePool, Tenant } from "../../queries/wire";
import { previewChangesOf, type TenantEdit } from "./logic/tenant-draft";

interface TenantPreviewInput {
  live: Live;
  pool: LivePool;
  tenant: Tenant;
  edit: TenantEdit;
}

export interface TenantPreviewRows {
  /** The open pool first, then every other pool where the tenant has work. */
  readonly rows: readonly PreviewRow[];
  readonly isReadingOthers: boolean;
  /** The other pools could not be asked about. */
  readonly error: unknown;
}

/** The open pool at once, by the engine's own split; the others as the gateway sees them. */
export function useTenantPreview({ live, pool, tenant, edit }: TenantPreviewInput): TenantPreviewRows {
  const { weight, cap } = edit;
  const changes = useMemo(
    () => previewChangesOf({ weight, cap }, { tenantId: tenant.id, pool: pool.model }),
    [weight, cap, tenant.id, pool.model],
  );
  const here = useMemo(() => {
    const names = new Map((pool.tenants ?? []).map((one) => [one.tenant_id, one.name]));
    const nameOf = (id: string) => names.get(id) ?? (id === tenant.id ? tenant.name : id);
    const input = previewInput(live, { changes, pool: pool.model, directory: directoryOf(tenant) });
    return rowsOfPreview(previewChanges(input), changes, nameOf);
  }, [live, pool, tenant, changes]);
  const others = useServerPreview(edit.weight === null ? NONE : changes);
  const rest = (others.data ? rowsOfAnswer(others.data.pools) : []).filter(
    (row) => row.pool !== pool.model && hasWork(row),
  );
  return { rows: [...here, ...rest], isReadingOthers: others.isFetching, error: others.error };
}

const NONE: never[] = [];

function directoryOf(tenant: Tenant) {
  return {
    groups: [],
    keys: [],
    tenants: [
      {
        id: tenant.id,
        group: tenant.group,
        weight: tenant.weight,
        maxInFlight: tenant.max_in_flight,
        modelCaps: tenant.model_caps.map((cap) => ({ model: cap.model, maxInFlight: cap.max_in_flight })),
        boostedModels: [],
      },
    ],
  };
}
