import { CONFIG_FORMAT } from "@obleth/contract";
import { exportConfig, importConfig } from "@obleth/db";
import type { ManagementDeps } from "../deps";
import { answer, changedReply, type Handlers } from "../http/call";

export function configHandlers(deps: ManagementDeps): Pick<Handlers, "exportConfig" | "importConfig"> {
  const { db } = deps;
  return {
    exportConfig: async () => {
      const file = await exportConfig(db, deps.clock.wallMs());
      const exportedAt = new Date(deps.clock.wallMs()).toISOString();
      return answer("exportConfig", { format: CONFIG_FORMAT, exported_at: exportedAt, ...file });
    },
    importConfig: async ({ body, query, context }) => {
      const { format: _format, exported_at: _exportedAt, ...file } = body;
      const changed = await importConfig(db, { ...context, source: "import" }, file);
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
