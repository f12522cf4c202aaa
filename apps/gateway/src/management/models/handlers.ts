import type { PreviewChange } from "@obleth/contract";
import {
  type ChangeContext,
  createModel,
  deleteModel,
  findModel,
  importModels,
  listModels,
  loadModels,
  type ModelEdit,
  type ModelPatch,
  notFound,
  toRow,
  updateModel,
} from "@obleth/db";
import type { ManagementDeps } from "../deps";
import { writtenReply } from "../fairshare/dry-run";
import { answer, changedReply, type Handlers, type Reply } from "../http/call";
import { Fault } from "../http/fault";
import { exportedModel, modelJson, newModel } from "./to-json";

type ModelRoute =
  | "listModels"
  | "createModel"
  | "exportModels"
  | "importModels"
  | "discoverModels"
  | "getModel"
  | "replaceModel"
  | "updateModel"
  | "deleteModel"
  | "setSessionAffinity"
  | "setModelWeight"
  | "setModelCapacity"
  | "setModelCapacityMode";

export function modelHandlers(deps: ManagementDeps): Pick<Handlers, ModelRoute> {
  const { db, sealer } = deps;
  /** All ways of changing a model are one edit; they differ in what their body may hold. */
  const edit = async (
    call: { params: { id: string }; context: ChangeContext; expectedVersion: number | undefined },
    wanted: ModelEdit,
  ): Promise<Reply> => {
    const { params, context, expectedVersion } = call;
    const changed = await updateModel(db, context, { target: params.id, expectedVersion, ...wanted });
    const view = changed.value;
    const moves = context.isDryRun === true ? await movesOf(deps, params.id, wanted.patch) : [];
    return writtenReply(deps, context, changed, answer("updateModel", modelJson(deps, view), view.version), moves);
  };

  return {
    listModels: async ({ query }) => {
      const { capacity_mode: capacityMode, ...rest } = query;
      const page = await listModels(db, { ...rest, capacityMode });
      return answer("listModels", {
        items: page.items.map((view) => modelJson(deps, view)),
        next_cursor: page.nextCursor,
        total: page.total,
      });
    },
    createModel: async ({ body, context }) => {
      const { fields, endpoints } = newModel(sealer, body);
      const changed = await createModel(db, context, { fields, endpoints: endpoints ?? [] });
      const reply = answer("createModel", modelJson(deps, changed.value), changed.value.version);
      return writtenReply(deps, context, changed, reply);
    },
    exportModels: async () => {
      const models = await loadModels(db);
      return answer("exportModels", {
        format: "obleth.models/1",
        exported_at: new Date(deps.clock.wallMs()).toISOString(),
        models: models.map(({ model, aliases, endpoints }) =>
          exportedModel({ ...model, aliases: [...aliases], endpoints: [...endpoints] }),
        ),
      });
    },
    importModels: async ({ body, query, context }) => {
      const models = body.models.map((model) => newModel(sealer, model));
      const changed = await importModels(db, { ...context, source: "import" }, models);
      const changes = changed.value;
      const counted = (action: string) => changes.filter((change) => change.action === action).length;
      const reply = answer("importModels", {
        dry_run: query.dry_run,
        created: counted("create"),
        updated: counted("update"),
        unchanged: counted("unchanged"),
        changes: changes.map((change) => ({ type: "model", ...change })),
      });
      return query.dry_run ? reply : changedReply(changed, reply);
    },
    discoverModels: async ({ body }) => {
      const provider = { apiBase: body.api_base, apiKey: body.api_key ?? null, protocol: body.protocol };
      const ids = await deps.discoverModels(provider).catch((error: unknown) => {
        const why = error instanceof Error ? error.message : "It did not answer.";
        throw new Fault("upstream_failed", `The provider could not be asked: ${why}`);
      });
      const models = [];
      for (const id of ids) models.push({ id, registered: (await findModel(db, id)) !== undefined });
      return answer("discoverModels", { models });
    },
    getModel: async ({ params }) => {
      const view = await findModel(db, params.id);
      if (view === undefined) throw notFound("model");
      return answer("getModel", modelJson(deps, view), view.version);
    },
    replaceModel: (call) => {
      const { fields, endpoints } = newModel(sealer, call.body);
      return edit(call, { patch: fields, endpoints });
    },
    updateModel: (call) => edit(call, { patch: toRow(call.body) }),
    setSessionAffinity: (call) => edit(call, { patch: { sessionAffinity: call.body } }),
    setModelWeight: (call) => edit(call, { patch: toRow(call.body) }),
    setModelCapacity: (call) => edit(call, { patch: toRow(call.body) }),
    setModelCapacityMode: (call) => edit(call, { patch: toRow(call.body) }),
    deleteModel: async ({ params, context, expectedVersion }) => {
      const changed = await deleteModel(db, context, { target: params.id, expectedVersion });
      return writtenReply(deps, context, changed, {});
    },
  };
}

/** The parts of an edit that move slots, in the pool of the model as it is called at present. */
async function movesOf(deps: ManagementDeps, target: string, patch: ModelPatch): Promise<PreviewChange[]> {
  const before = await findModel(deps.db, target);
  if (before === undefined) return [];
  const id = before.name;
  const moves: PreviewChange[] = [];
  if (patch.maxInFlight !== undefined) {
    moves.push({ kind: "pool_size", id, value: patch.maxInFlight ?? deps.settings.defaultModelMaxInFlight });
  }
  if (patch.admissionWeight !== undefined) {
    moves.push({ kind: "admission_weight", id, value: patch.admissionWeight });
  }
  return moves;
}
