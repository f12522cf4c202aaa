import type { AuditRow as AuditRowJson } from "@obleth/contract";
import { type AuditRow, findAudit, listAudit, revertChange } from "@obleth/db";
import type { ManagementDeps } from "../deps";
import { writtenReply } from "../fairshare/dry-run";
import { answer, type Handlers } from "../http/call";

export function auditHandlers(deps: ManagementDeps): Pick<Handlers, "listAudit" | "revertAudit"> {
  const { db } = deps;
  return {
    listAudit: async ({ query }) => {
      const { from, to, ...rest } = query;
      const page = await listAudit(db, { ...rest, from: instant(from), to: instant(to) });
      return answer("listAudit", { items: page.items.map(auditJson), next_cursor: page.nextCursor });
    },
    revertAudit: async ({ params, context }) => {
      const changed = await revertChange(db, context, params.id);
      const written = changed.auditId === null ? undefined : await findAudit(db, changed.auditId);
      return writtenReply({ deps, context, changed }, answer("revertAudit", auditJson(written ?? changed.value)));
    },
  };
}

const instant = (text: string | undefined) => (text === undefined ? undefined : new Date(text));

function auditJson(row: AuditRow): AuditRowJson {
  return {
    id: row.id,
    ts_ms: row.at.getTime(),
    actor: row.actor,
    source: row.source,
    action: row.action,
    object: { type: row.objectType, id: row.objectId, name: row.objectName },
    before: row.before,
    after: row.after,
    request_id: row.requestId,
    reversible: row.reversible && row.revertedBy === null,
    reverts: row.reverts,
    reverted_by: row.revertedBy,
    config_version: row.configVersion,
  };
}
