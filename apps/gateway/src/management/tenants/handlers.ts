import type { PreviewChange } from "@obleth/contract";
import {
  type ChangeContext,
  createTenant,
  deleteModelCap,
  deleteTenant,
  findTenant,
  listTenants,
  notFound,
  readTogether,
  setModelCap,
  type TenantPatch,
  toRow,
  updateTenant,
} from "@obleth/db";
import type { ManagementDeps } from "../deps";
import { writtenReply } from "../fairshare/dry-run";
import { answer, type Handlers, type Reply } from "../http/call";
import { tenantJson } from "./to-json";

type TenantRoute =
  | "listTenants"
  | "createTenant"
  | "getTenant"
  | "updateTenant"
  | "deleteTenant"
  | "setTenantWeight"
  | "setTenantQuota"
  | "setTenantGroup"
  | "listModelCaps"
  | "setModelCap"
  | "deleteModelCap";

export function tenantHandlers(deps: ManagementDeps): Pick<Handlers, TenantRoute> {
  const { db } = deps;
  /** All ways of changing a tenant are one edit; they differ in what their body may hold. */
  const edit = async (
    call: { params: { id: string }; context: ChangeContext; expectedVersion: number | undefined },
    patch: TenantPatch,
  ): Promise<Reply> => {
    const { params, context, expectedVersion } = call;
    const changed = await updateTenant(db, context, { id: params.id, expectedVersion, patch });
    const row = changed.value;
    const reply = answer("updateTenant", await tenantJson(deps, row), row.version);
    return writtenReply({ deps, context, changed, moves: movesOf(params.id, patch) }, reply);
  };

  return {
    listTenants: async ({ query }) => {
      const page = await readTogether(db, (tx) => listTenants(tx, query));
      const items = await Promise.all(page.items.map((row) => tenantJson(deps, row)));
      return answer("listTenants", { items, next_cursor: page.nextCursor, total: page.total });
    },
    createTenant: async ({ body, context }) => {
      const changed = await createTenant(db, context, toRow(body));
      const reply = answer("createTenant", await tenantJson(deps, changed.value), changed.value.version);
      return writtenReply({ deps, context, changed }, reply);
    },
    getTenant: async ({ params }) => {
      const row = await findTenant(db, params.id);
      if (row === undefined) throw notFound("tenant");
      return answer("getTenant", await tenantJson(deps, row), row.version);
    },
    updateTenant: (call) => edit(call, toRow(call.body)),
    setTenantWeight: (call) => edit(call, toRow(call.body)),
    setTenantQuota: (call) => edit(call, toRow(call.body)),
    setTenantGroup: (call) => edit(call, toRow(call.body)),
    deleteTenant: async ({ params, context, expectedVersion }) => {
      const changed = await deleteTenant(db, context, { id: params.id, expectedVersion });
      return writtenReply({ deps, context, changed }, {});
    },

    listModelCaps: async ({ params }) => {
      const row = await findTenant(db, params.id);
      if (row === undefined) throw notFound("tenant");
      return answer("listModelCaps", { items: row.modelCaps });
    },
    setModelCap: async ({ params, body, context, expectedVersion }) => {
      const target = { tenantId: params.id, model: params.model, expectedVersion, maxInFlight: body.max_in_flight };
      const changed = await setModelCap(db, context, target);
      const { cap, version } = changed.value;
      const move = { kind: "tenant_model_cap", id: params.id, model: cap.model, value: cap.max_in_flight } as const;
      return writtenReply({ deps, context, changed, moves: [move] }, answer("setModelCap", cap, version));
    },
    deleteModelCap: async ({ params, context, expectedVersion }) => {
      const target = { tenantId: params.id, model: params.model, expectedVersion };
      const changed = await deleteModelCap(db, context, target);
      const move = { kind: "tenant_model_cap", id: params.id, model: params.model, value: "tenant" } as const;
      return writtenReply({ deps, context, changed, moves: [move] }, {});
    },
  };
}

/** The parts of an edit that move slots. */
function movesOf(id: string, patch: TenantPatch): PreviewChange[] {
  const moves: PreviewChange[] = [];
  if (patch.weight !== undefined) moves.push({ kind: "tenant_weight", id, value: patch.weight });
  if (patch.maxInFlight !== undefined) moves.push({ kind: "tenant_cap", id, value: patch.maxInFlight });
  if (patch.group !== undefined) moves.push({ kind: "tenant_group", id, value: patch.group });
  for (const cap of patch.modelCaps ?? []) {
    moves.push({ kind: "tenant_model_cap", id, model: cap.model, value: cap.max_in_flight });
  }
  return moves;
}
