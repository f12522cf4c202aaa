import { CONFIG_FORMAT } from "@obleth/contract";
import { exportConfig, importConfig, readConfigVersion, readTogether } from "@obleth/db";
import type { ManagementDeps } from "../deps";
import { answer, type Call, changedReply, type Handlers } from "../http/call";
import { Fault } from "../http/fault";

export function configHandlers(deps: ManagementDeps): Pick<Handlers, "exportConfig" | "importConfig"> {
  const { db } = deps;
  return {
    exportConfig: async () => {
      const { file, version } = await readTogether(db, async (tx) => ({
        file: await exportConfig(tx, deps.clock.wallMs()),
        version: await readConfigVersion(tx),
      }));
      const exportedAt = new Date(deps.clock.wallMs()).toISOString();
      return answer("exportConfig", { format: CONFIG_FORMAT, exported_at: exportedAt, ...file }, version);
    },
    importConfig: async ({ body, query, context, expectedVersion }) => {
      const { format: _format, exported_at: _exportedAt, ...file } = body;
      checkSealed(deps, body);
      const changed = await importConfig(db, { ...context, source: "import" }, { file, expectedVersion });
      const changes = changed.value;
      const counted = (action: string) => changes.filter((change) => change.action === action).length;
      const reply = answer("importConfig", {
        dry_run: query.dry_run,
        created: counted("create"),
        updated: counted("update"),
        unchanged: counted("unchanged"),
        changes,
      });
      return query.dry_run ? reply : changedReply(changed, reply);
    },
  };
}

/** What was sealed under another key would be stored and never open; better to refuse the file. */
function checkSealed({ sealer }: ManagementDeps, file: Call<"importConfig">["body"]): void {
  for (const [m, model] of file.models.entries()) {
    for (const [e, endpoint] of model.endpoints.entries()) {
      try {
        if (endpoint.api_key_sealed !== null) sealer.open(endpoint.api_key_sealed, "endpoint_key");
        for (const [, value] of endpoint.headers_sealed) sealer.open(value, "endpoint_header");
      } catch {
        const message = "The credentials in the file were sealed under another OBLETH_ENCRYPTION_KEY.";
        throw new Fault("invalid_request", message, { field: `models.${m}.endpoints.${e}` });
      }
    }
  }
}
