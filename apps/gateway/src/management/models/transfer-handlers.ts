/** Models to and from files, and what a provider has to offer. */
import { findModelName, importModels, loadModels, readTogether } from "@obleth/db";
import type { ManagementDeps } from "../deps";
import { answer, changedReply, type Handlers } from "../http/call";
import { Fault } from "../http/fault";
import { exportedModel, newModel } from "./to-json";

type TransferRoute = "exportModels" | "importModels" | "discoverModels";

export function transferHandlers(deps: ManagementDeps): Pick<Handlers, TransferRoute> {
  const { db, sealer } = deps;
  return {
    exportModels: async () => {
      const models = await readTogether(db, loadModels);
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
      for (const id of ids) models.push({ id, registered: (await findModelName(db, id)) !== undefined });
      return answer("discoverModels", { models });
    },
  };
}
