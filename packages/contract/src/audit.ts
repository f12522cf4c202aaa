/** Every change: who made it, through what, what it was and what it became. */
import { z } from "zod";
import { AUDIT_OBJECTS } from "./audit-objects";
import { isoTime, line, paging, textSearch, tsMs } from "./common";

export const AUDIT_SOURCES = ["dashboard", "api", "import", "boost", "system"] as const;

export const auditRow = z
  .strictObject({
    id: z.int().min(1),
    ts_ms: tsMs,
    actor: z.string().describe("A user's email, `token` or `system`."),
    source: z.enum(AUDIT_SOURCES),
    action: z.string().describe("What was done, such as `tenant.update`."),
    object: z.strictObject({ type: z.enum(AUDIT_OBJECTS), id: z.string(), name: z.string() }),
    before: z.record(z.string(), z.unknown()).nullable().describe("The fields that changed, as they were."),
    after: z.record(z.string(), z.unknown()).nullable(),
    request_id: z.string().nullable(),
    reversible: z.boolean(),
    reverts: z.int().nullable().describe("The row that this one put back."),
    reverted_by: z.int().nullable(),
    config_version: z.int(),
  })
  .meta({ id: "AuditRow" });
export type AuditRow = z.infer<typeof auditRow>;

export const auditQuery = z.strictObject({
  limit: paging.limit,
  cursor: paging.cursor,
  actor: line.optional(),
  kind: z.enum(AUDIT_OBJECTS).optional(),
  object: line.optional().describe("An object's id or name."),
  action: line.optional(),
  q: textSearch,
  from: isoTime.optional(),
  to: isoTime.optional(),
});
export const auditPage = z.strictObject({ items: z.array(auditRow), next_cursor: z.string().nullable() });
