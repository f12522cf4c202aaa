/** Databases of every earlier schema, with data in every column, brought to the newest one: nothing is lost. */
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { getTableColumns, getTableName } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { importConfig } from "../../src/commands/import-config";
import { setGlobalCeiling } from "../../src/commands/set-global-ceiling";
import { migrate } from "../../src/migrate";
import { exportConfig } from "../../src/queries/export-config";
import * as schema from "../../src/schema";
import { createTestDatabase, type TestDatabase } from "../../src/testing";

const MIGRATIONS = path.resolve(import.meta.dirname, "../../../../drizzle");

interface State {
  readonly sha256: string;
  readonly prepare: readonly string[];
  readonly rows: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
  readonly changed: Readonly<Record<string, readonly string[]>>;
}

interface Journal {
  entries: { readonly tag: string }[];
}

const journal = JSON.parse(readFileSync(path.join(MIGRATIONS, "meta/_journal.json"), "utf8")) as Journal;
const tags = journal.entries.map((entry) => entry.tag);
const stateFile = (tag: string) => path.join(import.meta.dirname, `${tag}.json`);
const stateOf = (tag: string) => JSON.parse(readFileSync(stateFile(tag), "utf8")) as State;

let test: TestDatabase;
let folder: string;
beforeEach(async () => {
  test = await createTestDatabase({ migrated: false });
  folder = mkdtempSync(path.join(tmpdir(), "obleth-upgrade-"));
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  await test.drop();
});

/** Migrates no further than `tag`, as the version did that had it as its newest. */
async function migrateTo(tag: string): Promise<void> {
  cpSync(MIGRATIONS, folder, { recursive: true });
  const entries = journal.entries.slice(0, tags.indexOf(tag) + 1);
  writeFileSync(path.join(folder, "meta/_journal.json"), JSON.stringify({ ...journal, entries }));
  await migrate(test.url, { folder });
}

async function load(state: State): Promise<void> {
  await test.sql.unsafe(`delete from "config_version"; delete from "groups" where name <> 'default'`);
  for (const statement of state.prepare) await test.sql.unsafe(statement);
  for (const [table, rows] of Object.entries(state.rows)) {
    const columns = Object.keys(rows[0] ?? {}).map((name) => `"${name}"`);
    await test.sql.unsafe(
      `insert into "${table}" (${columns}) overriding system value
       select ${columns} from jsonb_populate_recordset(null::"${table}", $1::text::jsonb)`,
      [JSON.stringify(rows)],
    );
  }
  await test.sql.unsafe(`select setval('audit_log_id_seq', (select max(id) from audit_log))`);
}

type Content = Record<string, Record<string, unknown>[]>;

/** Every row of every table, numbers as Postgres writes them. */
async function content(): Promise<Content> {
  const tables = await test.sql<{ name: string }[]>`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition order by 1`;
  const all: Content = {};
  for (const { name } of tables) {
    const rows = await test.sql.unsafe<{ row: string }[]>(
      `select to_jsonb(t)::text as row from "${name}" t order by 1`,
    );
    all[name] = rows.map(({ row }) => JSON.parse(row.replace(/: (-?\d{16,})/g, ': "$1"')) as Record<string, unknown>);
  }
  return all;
}

/** Only the tables and columns of `before`, without those that were meant to change. */
function asBefore(after: Content, before: Content, changed: State["changed"]): Content {
  return Object.fromEntries(
    Object.entries(before).map(([table, rows]) => {
      const names = Object.keys(rows[0] ?? {}).filter((name) => !changed[table]?.includes(name));
      const pick = (row: Record<string, unknown>) => Object.fromEntries(names.map((name) => [name, row[name]]));
      return [table, (after[table] ?? []).map(pick)];
    }),
  );
}

describe.each(tags)("a database of %s", (tag) => {
  it("has a state here whose migration is the one that was merged", () => {
    const sha256 = createHash("sha256")
      .update(readFileSync(path.join(MIGRATIONS, `${tag}.sql`)))
      .digest("hex");
    expect(existsSync(stateFile(tag)), `see test/upgrade/README.md; sha256 ${sha256}`).toBe(true);
    expect(stateOf(tag).sha256).toBe(sha256);
  });

  it("has a value in every column, so that nothing can be lost unseen", async () => {
    await migrateTo(tag);
    await load(stateOf(tag));
    const columns = await test.sql<{ table: string; column: string }[]>`
      select table_name as table, column_name as column from information_schema.columns
      where table_schema = 'public' and table_name !~ '^usage_(default|\\d{8})$'`;
    const rows = await content();
    const empty = columns.filter(({ table, column }) => !rows[table]?.some((row) => row[column] != null));
    expect(empty).toEqual([]);
  });

  it("comes to the newest schema with every row as it was", async () => {
    const state = stateOf(tag);
    await migrateTo(tag);
    await load(state);
    const before = await content();
    expect(await migrate(test.url)).toBe(tags.length - 1 - tags.indexOf(tag));
    const after = await content();
    expect(asBefore(after, before, state.changed)).toEqual(asBefore(before, before, state.changed));
  });

  it("is worked with by this version: exported, imported again without a difference, and changed", async () => {
    await migrateTo(tag);
    await load(stateOf(tag));
    await migrate(test.url);
    const context = { actor: "token", source: "api", requestId: null, nowMs: Date.UTC(2026, 10, 30) } as const;
    const file = await exportConfig(test.db, context.nowMs);
    expect(file.tenants).toHaveLength(2);
    const imported = await importConfig(test.db, context, { file });
    expect(imported.value.filter(({ action }) => action !== "unchanged")).toEqual([]);
    const changed = await setGlobalCeiling(test.db, context, { value: 100 });
    expect(changed.configVersion).toBe(42);
    expect(changed.auditId).toBe(3);
  });
});

it("the newest schema is what the code's tables say, column by column", async () => {
  await migrate(test.url);
  const found = await test.sql<{ name: string }[]>`
    select table_name || '.' || column_name || case when is_nullable = 'NO' then ' not null' else '' end as name
    from information_schema.columns where table_schema = 'public' and table_name <> 'usage_default'`;
  const tables = Object.values(schema) as PgTable[];
  const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const said = tables.flatMap((table) =>
    Object.entries(getTableColumns(table)).map(
      ([field, column]) => `${getTableName(table)}.${snake(field)}${column.notNull ? " not null" : ""}`,
    ),
  );
  expect(found.map(({ name }) => name).sort()).toEqual(said.sort());
});
