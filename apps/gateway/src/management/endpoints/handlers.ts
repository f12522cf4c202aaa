import {
  createEndpoint,
  deleteEndpoint,
  findEndpoint,
  findModel,
  findModelName,
  notFound,
  readTogether,
  updateEndpoint,
} from "@obleth/db";
import type { ManagementDeps } from "../deps";
import { writtenReply } from "../fairshare/dry-run";
import { answer, type Handlers } from "../http/call";
import { endpointJson, endpointPatch, newEndpoint } from "./to-json";

type EndpointRoute = "listEndpoints" | "createEndpoint" | "updateEndpoint" | "deleteEndpoint" | "checkEndpoint";

export function endpointHandlers(deps: ManagementDeps): Pick<Handlers, EndpointRoute> {
  const { db, sealer } = deps;
  return {
    listEndpoints: async ({ params }) => {
      const model = await readTogether(db, (tx) => findModel(tx, params.id));
      if (model === undefined) throw notFound("model");
      return answer("listEndpoints", { items: model.endpoints.map((row) => endpointJson(deps, row)) });
    },
    createEndpoint: async ({ params, body, context }) => {
      const wanted = { model: params.id, endpoint: newEndpoint(sealer, body) };
      const changed = await createEndpoint(db, context, wanted);
      const row = changed.value;
      return writtenReply({ deps, context, changed }, answer("createEndpoint", endpointJson(deps, row), row.version));
    },
    updateEndpoint: async ({ params, body, context, expectedVersion }) => {
      const target = { model: params.id, endpointId: params.eid, expectedVersion };
      const changed = await updateEndpoint(db, context, { ...target, patch: endpointPatch(sealer, body) });
      const row = changed.value;
      return writtenReply({ deps, context, changed }, answer("updateEndpoint", endpointJson(deps, row), row.version));
    },
    deleteEndpoint: async ({ params, context, expectedVersion }) => {
      const target = { model: params.id, endpointId: params.eid, expectedVersion };
      return writtenReply({ deps, context, changed: await deleteEndpoint(db, context, target) }, {});
    },
    checkEndpoint: async ({ params }) => {
      const model = await findModelName(db, params.id);
      const row = model && (await findEndpoint(db, { modelId: model.id, endpointId: params.eid }));
      if (row === undefined) throw notFound("endpoint of this model");
      return answer("checkEndpoint", await deps.checkEndpoint(row.id));
    },
  };
}
