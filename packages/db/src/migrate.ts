/**
 * Brings the database to the schema of this code. All replicas may start together: one transaction takes an advisory
 * lock and applies what is missing, so the others wait and then find nothing to do, a killed one leaves nothing half
 * done, and a pooler in transaction mode does no harm.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { connect } from "./client";

/** The number of the lock; any constant that nothing else in the database uses. */
const LOCK = 7_310_268_146;

const DEFAULT_FOLDER = fileURLToPath(new URL("../../../drizzle", import.meta.url));

/** The database has a migration that this code does not know: an older build met a newer schema. */
export class SchemaTooNewError extends Error {
  override readonly name = "SchemaTooNewError";
  readonly code = "schema_too_new";
}

/**
 * Applies every missing migration in order; returns how many. Rejects with `SchemaTooNewError` when the database is
 * ahead of the code, and with the database's error when a migration fails; then nothing has changed.
 */
export async function migrate(url: string, options: { folder?: string } = {}): Promise<number> {
  const folder = options.folder ?? DEFAULT_FOLDER;
  const migrations = readMigrationFiles({ migrationsFolder: folder });
  const newestKnown = migrations.at(-1)?.folderMillis ?? 0;
  const sql = connect(url, { max: 1 });
  try {
    return await sql.begin(async (tx) => {
      await tx`set local statement_timeout = 0`;
      // Else the lock of a killed replica lasts as long as the statement it was at. Not every system can tell.
      await tx.savepoint((inner) => inner`set local client_connection_check_interval = 1000`).catch(() => {});
      await tx`select pg_advisory_xact_lock(${LOCK}::bigint)`;
      await tx`create schema if not exists drizzle`;
      await tx`create table if not exists drizzle.__drizzle_migrations
        (id serial primary key, hash text not null, created_at bigint)`;
      const [last] = await tx<{ at: string | null }[]>`
        select max(created_at)::text as at from drizzle.__drizzle_migrations`;
      const newestApplied = Number(last?.at ?? 0);
      if (newestApplied > newestKnown) throw tooNew(newestApplied, folder);
      let applied = 0;
      for (const migration of migrations) {
        if (migration.folderMillis <= newestApplied) continue;
        for (const statement of migration.sql) await tx.unsafe(statement);
        await tx`insert into drizzle.__drizzle_migrations (hash, created_at)
          values (${migration.hash}, ${migration.folderMillis})`;
        applied += 1;
      }
      return applied;
    });
  } finally {
    await sql.end({ timeout: 5 });
  }
}

function tooNew(applied: number, folder: string): SchemaTooNewError {
  const journal = JSON.parse(readFileSync(`${folder}/meta/_journal.json`, "utf8")) as { entries: { tag: string }[] };
  const newest = journal.entries.at(-1)?.tag ?? "none";
  return new SchemaTooNewError(
    `The database was migrated by a newer version of obleth (on ${new Date(applied).toISOString()}); this one knows migrations up to ${newest}. Start the newer version, or restore a backup made before it ran.`,
  );
}
