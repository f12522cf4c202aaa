/**
 * The frame of every write: one transaction that holds the configuration lock, makes the change, writes its audit rows,
 * raises the configuration version and sends the notice. All of it happens or none. Writers take turns under the lock,
 * so versions follow the order of commits and two changes can never deadlock.
 */
import { sql } from "drizzle-orm";
import type { Db, Tx } from "../client";
import { type ConfigChange, notifyConfig } from "../config-changes";
import { auditLog } from "../schema";

type AuditInsert = typeof auditLog.$inferInsert;
export type AuditSource = AuditInsert["source"];
export type AuditObjectType = AuditInsert["objectType"];

export interface ChangeContext {
  /** A user's email, `token` or `system`. */
  readonly actor: string;
  readonly source: AuditSource;
  readonly requestId: string | null;
  readonly nowMs: number;
  /** Does everything and then rolls back. */
  readonly isDryRun?: boolean;
  /** The audit row that this change puts back. */
  readonly reverts?: number;
}

export interface AuditEntry {
  readonly action: string;
  readonly type: AuditObjectType;
  readonly id: string;
  readonly name: string;
  readonly before: Record<string, unknown> | null;
  readonly after: Record<string, unknown> | null;
  /** Whether `revert` can put it back. */
  readonly isReversible?: boolean;
}

/** What a command works with. */
export interface Change {
  readonly tx: Tx;
  readonly context: ChangeContext;
  readonly now: Date;
  /** Configuration version before the change. */
  readonly versionBefore: number;
  /** Notes what was done; written with the change. */
  audit(entry: AuditEntry): void;
  /** Notes what caches must forget. */
  touch(...changes: ConfigChange[]): void;
  /** Caches must forget everything: names moved. */
  touchAll(): void;
}

export interface Changed<Value> {
  readonly value: Value;
  /** The last audit row written; null when nothing changed, and in a dry run. */
  readonly auditId: number | null;
  /** Version of the configuration that holds the change; the present one when nothing changed. */
  readonly configVersion: number;
  /** What was noted, written or not. */
  readonly entries: readonly AuditEntry[];
}

/** Runs a command. A refusal, or any error, leaves nothing changed. */
export async function change<Value>(
  db: Db,
  context: ChangeContext,
  run: (change: Change) => Promise<Value>,
): Promise<Changed<Value>> {
  let result: Changed<Value> | undefined;
  try {
    await db.transaction(async (tx) => {
      result = await runInside(tx, context, run);
      if (context.isDryRun === true) throw new DryRunOver();
    });
  } catch (error) {
    if (!(error instanceof DryRunOver)) throw error;
  }
  if (result === undefined) throw new Error("a transaction ended without a result");
  return result;
}

async function runInside<Value>(
  tx: Tx,
  context: ChangeContext,
  run: (change: Change) => Promise<Value>,
): Promise<Changed<Value>> {
  const rows = await tx.execute<{ version: string }>(
    sql`select version::text as version from config_version where id = 1 for update`,
  );
  const before = Number(rows[0]?.version);
  const entries: AuditEntry[] = [];
  let touched: ConfigChange[] | "all" = [];
  const value = await run({
    tx,
    context,
    now: new Date(context.nowMs),
    versionBefore: before,
    audit: (entry) => void entries.push(entry),
    touch: (...changes) => {
      if (touched !== "all") touched.push(...changes);
    },
    touchAll: () => {
      touched = "all";
    },
  });
  if (entries.length === 0 && touched.length === 0) {
    return { value, auditId: null, configVersion: before, entries };
  }
  const version = before + 1;
  await tx.execute(sql`update config_version set version = ${version} where id = 1`);
  const auditId = await writeAudit(tx, { context, entries, version });
  await notifyConfig(tx, { version, changes: touched });
  return { value, auditId: context.isDryRun === true ? null : auditId, configVersion: version, entries };
}

async function writeAudit(
  tx: Tx,
  written: { context: ChangeContext; entries: readonly AuditEntry[]; version: number },
): Promise<number | null> {
  if (written.entries.length === 0) return null;
  const { context, version } = written;
  const last = written.entries.length - 1;
  const rows = await tx
    .insert(auditLog)
    .values(
      written.entries.map((entry, index) => ({
        at: new Date(context.nowMs),
        actor: context.actor,
        source: context.source,
        action: entry.action,
        objectType: entry.type,
        objectId: entry.id,
        objectName: entry.name,
        before: entry.before,
        after: entry.after,
        requestId: context.requestId,
        reversible: entry.isReversible ?? false,
        reverts: index === last ? (context.reverts ?? null) : null,
        configVersion: version,
      })),
    )
    .returning({ id: auditLog.id });
  return rows.at(-1)?.id ?? null;
}

class DryRunOver extends Error {}
