/**
 * Writes usage records in batches. Idempotent by request id and time, so a spilled batch may be replayed. Days get
 * their own partition when first written to; what cannot get one lands in the default partition and is kept.
 */
import { getTableColumns, sql } from "drizzle-orm";
import type { Db } from "./client";
import { usage } from "./schema";

const DAY_MS = 86_400_000;
/** Rows per statement: about half a megabyte of JSON, a few milliseconds for either side. */
const ROWS_PER_INSERT = 2_000;

export type UsageRow = typeof usage.$inferInsert;

const COLUMNS = Object.keys(getTableColumns(usage)).map((field) => ({
  field: field as keyof UsageRow,
  column: field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
}));

/** Inserts the rows and remembers when each key was last used; returns how many were new. */
export async function insertUsage(db: Db, rows: readonly UsageRow[]): Promise<number> {
  if (rows.length === 0) return 0;
  await ensureUsageDays(db, [...new Set(rows.map((row) => dayOf(row.tsMs)))]);
  let inserted = 0;
  for (let start = 0; start < rows.length; start += ROWS_PER_INSERT) {
    inserted += await insertPart(db, rows.slice(start, start + ROWS_PER_INSERT));
  }
  await touchKeys(db, rows);
  return inserted;
}

/** The rows travel as one JSON parameter: many times cheaper for the event loop than a parameter per value. */
async function insertPart(db: Db, rows: readonly UsageRow[]): Promise<number> {
  const records = rows.map((row) =>
    Object.fromEntries(COLUMNS.map(({ column, field }) => [column, storable(row[field])])),
  );
  const columns = sql.raw(COLUMNS.map(({ column }) => `"${column}"`).join(", "));
  const added = await db.execute<{ n: number }>(sql`
    with added as (
      insert into "usage" (${columns})
      select ${columns} from jsonb_populate_recordset(null::"usage", ${JSON.stringify(records)}::jsonb)
      on conflict do nothing returning 1
    ) select count(*)::int as n from added`);
  return added[0]?.n ?? 0;
}

/** Text as Postgres can keep it: NUL and halves of characters, which only a hostile client sends, become U+FFFD. */
function storable(value: UsageRow[keyof UsageRow]): UsageRow[keyof UsageRow] {
  return typeof value === "string" ? value.replace(/[\p{Cs}\0]/gu, "\ufffd") : value;
}

/** Makes the partitions of these days (milliseconds of their start) where they are missing. */
export async function ensureUsageDays(db: Db, days: readonly number[]): Promise<void> {
  for (const day of days) {
    const name = partitionName(day);
    const found = await db.execute<{ table: string | null }>(sql`select to_regclass(${name})::text as "table"`);
    if (found[0]?.table != null) continue;
    try {
      await db.execute(
        sql.raw(
          `create table if not exists "${name}" partition of "usage" for values from (${day}) to (${day + DAY_MS})`,
        ),
      );
    } catch (error) {
      // 23514: the default partition holds rows of that day; 42P07 and 40P01: another replica was quicker.
      if (!["23514", "42P07", "40P01", "23505"].includes(sqlState(error))) throw error;
    }
  }
}

/** Drops the partitions of days that ended before `beforeMs`, and older rows of the default one; returns their names. */
export async function dropUsageBefore(db: Db, beforeMs: number): Promise<string[]> {
  const tables = await db.execute<{ name: string }>(
    sql`select inhrelid::regclass::text as name from pg_inherits where inhparent = 'usage'::regclass`,
  );
  const old = tables
    .map((table) => table.name)
    .filter((name) => {
      const day = dayOfPartition(name);
      return day !== undefined && day + DAY_MS <= beforeMs;
    });
  for (const name of old) await db.execute(sql.raw(`drop table if exists "${name}"`));
  await db.execute(sql`delete from usage_default where ts_ms < ${beforeMs}`);
  return old;
}

const dayOf = (tsMs: number) => Math.floor(tsMs / DAY_MS) * DAY_MS;

function partitionName(day: number): string {
  return `usage_${new Date(day).toISOString().slice(0, 10).replaceAll("-", "")}`;
}

function dayOfPartition(name: string): number | undefined {
  const match = /^usage_(\d{4})(\d{2})(\d{2})$/.exec(name);
  return match === null ? undefined : Date.parse(`${match[1]}-${match[2]}-${match[3]}T00:00:00Z`);
}

/** Whether a statement failed because of a value it was given, as it will each time: SQLSTATE classes 22 and 23. */
export function isBadValue(error: unknown): boolean {
  return /^2[23]/.test(sqlState(error));
}

function sqlState(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return String((cause as { code?: unknown } | undefined)?.code ?? "");
}

/** Newest use per key; one statement, never moving a time back. */
async function touchKeys(db: Db, rows: readonly UsageRow[]): Promise<void> {
  const newest = new Map<string, number>();
  for (const { keyId, tsMs } of rows) {
    if (keyId != null && tsMs > (newest.get(keyId) ?? 0)) newest.set(keyId, tsMs);
  }
  if (newest.size === 0) return;
  const pairs = JSON.stringify([...newest].map(([id, ts]) => ({ id, ts })));
  await db.execute(sql`
    update keys set last_used_at = greatest(keys.last_used_at, to_timestamp(seen.ts / 1000.0))
    from jsonb_to_recordset(${pairs}::jsonb) as seen(id uuid, ts bigint)
    where keys.id = seen.id`);
}
