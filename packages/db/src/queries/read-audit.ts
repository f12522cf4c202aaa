import { and, desc, eq, getTableColumns, gte, lt, type SQL, sql } from "drizzle-orm";
import type { Tx } from "../client";
import { auditLog } from "../schema";
import { BadCursorError, contains } from "./paging";

const fields = {
  ...getTableColumns(auditLog),
  revertedBy: sql<number | null>`(select r.id::float8 from audit_log r where r.reverts = "audit_log"."id")`,
};

/** One change; `revertedBy` is the row that put it back. */
export type AuditRow = typeof auditLog.$inferSelect & { revertedBy: number | null };

export interface AuditQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly actor?: string | undefined;
  readonly kind?: AuditRow["objectType"] | undefined;
  /** An object's id or name. */
  readonly object?: string | undefined;
  readonly action?: string | undefined;
  /** In names, actor or values. */
  readonly q?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

/** Newest first. */
export async function listAudit(db: Tx, query: AuditQuery): Promise<{ items: AuditRow[]; nextCursor: string | null }> {
  const rows = await db
    .select(fields)
    .from(auditLog)
    .where(and(...filters(query)))
    .orderBy(desc(auditLog.id))
    .limit(query.limit + 1);
  const items = rows.slice(0, query.limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > query.limit && last !== undefined ? String(last.id) : null };
}

export async function findAudit(db: Tx, id: number): Promise<AuditRow | undefined> {
  return (await db.select(fields).from(auditLog).where(eq(auditLog.id, id)))[0];
}

function filters(query: AuditQuery): (SQL | undefined)[] {
  return [
    query.cursor === undefined ? undefined : lt(auditLog.id, readCursor(query.cursor)),
    query.actor === undefined ? undefined : eq(auditLog.actor, query.actor),
    query.kind === undefined ? undefined : eq(auditLog.objectType, query.kind),
    query.action === undefined ? undefined : eq(auditLog.action, query.action),
    query.object === undefined
      ? undefined
      : sql`(${auditLog.objectId} = ${query.object} or ${auditLog.objectName} = ${query.object}
          or ${auditLog.objectId} like ${`${likeText(query.object)}/%`})`,
    query.from === undefined ? undefined : gte(auditLog.at, query.from),
    query.to === undefined ? undefined : lt(auditLog.at, query.to),
    contains(
      sql`concat_ws(' ', ${auditLog.objectName}, ${auditLog.actor}, ${auditLog.action}, ${auditLog.before}::text, ${auditLog.after}::text)`,
      query.q,
    ),
  ];
}

const likeText = (text: string) => text.replace(/[\\%_]/g, "\\$&");

function readCursor(cursor: string): number {
  if (!/^\d{1,15}$/.test(cursor)) throw new BadCursorError("is not a cursor of this list");
  return Number(cursor);
}
