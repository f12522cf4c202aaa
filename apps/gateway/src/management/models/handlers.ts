import type { PreviewChange } from "@obleth/contract";
import {
  type ChangeContext,
  createModel,
  deleteModel,
  findModel,
  listModels,
  type ModelEdit,
  type ModelPatch,
  notFound,
  readTogether,
  toRow,
  updateModel,
} from "@obleth/db";
import type { ManagementDeps } from "../deps";
import { writtenReply } from "../fairshare/dry-run";
import { answer, type Handlers, type Reply } from "../http/call";
import { modelJson, newModel } from "./to-json";

type ModelRoute =
  | "listModels"
  | "createModel"
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
    return writtenReply({ deps, context, changed, moves }, answer("updateModel", modelJson(deps, view), view.version));
  };

  return {
    listModels: async ({ query }) => {
      const { capacity_mode: capacityMode, ...rest } = query;
      const page = await readTogether(db, (tx) => listModels(tx, { ...rest, capacityMode }));
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
      return writtenReply({ deps, context, changed }, reply);
    },
    getModel: async ({ params }) => {
      const view = await readTogether(db, (tx) => findModel(tx, params.id));
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
      return writtenReply({ deps, context, changed }, {});
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
