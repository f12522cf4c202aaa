import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { migrate, SchemaTooNewError } from "./migrate";
import { createTestDatabase, type TestDatabase } from "./testing";

const FOLDER = fileURLToPath(new URL("../../../drizzle", import.meta.url));

describe("migrations", () => {
  let test: TestDatabase;
  let folder: string;
  beforeEach(async () => {
    test = await createTestDatabase({ migrated: false });
    folder = mkdtempSync(join(tmpdir(), "obleth-migrations-"));
    cpSync(FOLDER, folder, { recursive: true });
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true });
    await test.drop();
  });

  const appliedRows = async () => {
    const rows = await test.sql<{ n: number }[]>`select count(*)::int as n from drizzle.__drizzle_migrations`;
    return rows[0]?.n;
  };
  const journal = () =>
    JSON.parse(readFileSync(join(folder, "meta/_journal.json"), "utf8")) as { entries: Record<string, unknown>[] };
  const addMigration = (statement: string) => {
    const file = journal();
    const last = file.entries.at(-1) as { idx: number; when: number };
    const tag = `${String(last.idx + 1).padStart(4, "0")}_later`;
    file.entries.push({ ...last, idx: last.idx + 1, when: last.when + 1, tag });
    writeFileSync(join(folder, "meta/_journal.json"), JSON.stringify(file));
    writeFileSync(join(folder, `${tag}.sql`), statement);
  };

  it("run once when ten replicas start together on an empty database", async () => {
    const applied = await Promise.all(Array.from({ length: 10 }, () => migrate(test.url)));
    const total = journal().entries.length;
    expect(applied.filter((count) => count > 0)).toEqual([total]);
    expect(await appliedRows()).toBe(total);
    const groups = await test.sql`select name from groups`;
    expect(groups.map((row) => row.name)).toEqual(["default"]);
  });

  it("run once each of twenty times that five replicas start together", { timeout: 180_000 }, async () => {
    for (let time = 0; time < 20; time++) {
      await test.sql.unsafe("drop schema public cascade; drop schema if exists drizzle cascade; create schema public");
      const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(test.url)));
      const total = journal().entries.length;
      expect(applied.toSorted((a, b) => b - a)).toEqual([total, 0, 0, 0, 0]);
      expect(await appliedRows()).toBe(total);
    }
  });

  it("wait for a version that is at work and hold nobody up while they wait", async () => {
    await migrate(test.url);
    addMigration("alter table groups add column later text");
    const reading = await test.sql.reserve();
    await reading`begin`;
    await reading`select count(*) from groups`;
    const migrated = migrate(test.url, { folder });
    const isWaiting = async () =>
      (await test.sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
        .length === 1;
    await expect.poll(isWaiting, { timeout: 20_000, interval: 20 }).toBe(true);
    const row = {
      request_id: "during",
      ts_ms: 0,
      admission: "fast",
      outcome: "completed",
      weight: 100,
      replica: "older",
    };
    const counts = { estimated_tokens: 1, queue_wait_ms: 0, total_ms: 1, status_code: 200 };
    await test.sql`insert into usage ${test.sql({ ...row, ...counts, protocol: "openai", session_source: "none" })}`;
    await reading`commit`;
    reading.release();
    expect(await migrated).toBe(1);
  });

  it("killed half way leave nothing, and the next start makes them whole", async () => {
    addMigration("create table half (id int);--> statement-breakpoint\nselect pg_sleep(60)");
    const script =
      `import { migrate } from ${JSON.stringify(join(import.meta.dirname, "migrate.ts"))};` +
      `await migrate(${JSON.stringify(test.url)}, { folder: ${JSON.stringify(folder)} });`;
    const killed = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script], {
      stdio: "ignore",
    });
    const isSleeping = async () =>
      (await test.sql`select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`)
        .length === 1;
    await expect.poll(isSleeping, { timeout: 20_000, interval: 20 }).toBe(true);
    killed.kill("SIGKILL");
    await once(killed, "exit");
    expect(await migrate(test.url)).toBe(journal().entries.length - 1);
    expect((await test.sql`select to_regclass('half')::text as half`)[0]).toEqual({ half: null });
  });

  it("make the usage table partitioned by time", async () => {
    await migrate(test.url);
    const [row] = await test.sql`select pg_get_partkeydef('usage'::regclass) as key`;
    expect(row?.key).toBe("RANGE (ts_ms)");
  });

  it("refuse to start on a schema newer than the code, and say what to do", async () => {
    addMigration("select 1");
    await migrate(test.url, { folder });
    await expect(migrate(test.url)).rejects.toThrow(SchemaTooNewError);
    await expect(migrate(test.url)).rejects.toThrow(/newer version/);
  });

  it("leave nothing half done when a statement fails, and go on from there once it is mended", async () => {
    addMigration("create table half (id int);--> statement-breakpoint\nselect nonsense");
    await expect(migrate(test.url, { folder })).rejects.toThrow(/nonsense/);
    const [row] = await test.sql`select to_regclass('half')::text as half, to_regclass('groups')::text as groups`;
    expect(row).toEqual({ half: null, groups: null });
    expect(await migrate(test.url)).toBe(journal().entries.length - 1);
  });
});
