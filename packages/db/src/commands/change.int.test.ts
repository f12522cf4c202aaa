import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CONFIG_CHANNEL, readConfigVersion } from "../config-changes";
import { createTestDatabase, type TestDatabase } from "../testing";
import { type ChangeContext, change } from "./change";
import { createGroup } from "./create-group";
import { deleteGroup } from "./delete-group";
import { Refusal } from "./refusal";
import { updateGroup } from "./update-group";

const context: ChangeContext = { actor: "tester", source: "api", requestId: "r", nowMs: Date.UTC(2026, 10, 30) };

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const auditCount = async () => {
  const rows = await test.sql<{ n: number }[]>`select count(*)::int as n from audit_log`;
  return rows[0]?.n ?? 0;
};

describe("a change", () => {
  it("raises the version by exactly one however many run at once, and none is lost", async () => {
    const start = await readConfigVersion(test.db);
    const names = Array.from({ length: 40 }, (_, n) => `g${n}`);
    const results = await Promise.all(names.map((name) => createGroup(test.db, context, { name, weight: 1 })));
    const versions = results.map((result) => result.configVersion).sort((a, b) => a - b);
    expect(versions).toEqual(names.map((_, n) => start + 1 + n));
    const rows = await test.sql<{ v: number }[]>`
      select config_version::int as v from audit_log where action = 'group.create' order by id`;
    expect(rows.map((row) => row.v)).toEqual(versions);
  });

  it("of opposite order never waits for the other for ever", async () => {
    const both = Array.from({ length: 10 }, (_, n) =>
      change(test.db, context, async (inside) => {
        for (const name of n % 2 === 0 ? ["g1", "g2"] : ["g2", "g1"]) {
          await inside.tx.execute(`update groups set color = ${n} where name = '${name}'`);
        }
      }),
    );
    await expect(Promise.all(both)).resolves.toHaveLength(10);
  });

  it("that fails leaves no row, no audit, no version and no notice", async () => {
    const heard: string[] = [];
    const listening = await test.sql.listen(CONFIG_CHANNEL, (payload) => void heard.push(payload));
    const [version, audits] = [await readConfigVersion(test.db), await auditCount()];
    const failing = change(test.db, context, async (inside) => {
      await inside.tx.execute("insert into groups (name) values ('half')");
      inside.audit({ action: "x", type: "group", id: "x", name: "x", before: null, after: null });
      inside.touch({ kind: "group", id: "x" });
      throw new Refusal("conflict", "no");
    });
    await expect(failing).rejects.toThrow(Refusal);
    await createGroup(test.db, { ...context, isDryRun: true }, { name: "dry", weight: 1 });
    expect([await readConfigVersion(test.db), await auditCount()]).toEqual([version, audits]);
    const done = await createGroup(test.db, context, { name: "real", weight: 1 });
    const deadline = Date.now() + 5_000;
    while (heard.length === 0 && Date.now() < deadline) await test.sql`select 1`;
    expect(heard.map((payload) => (JSON.parse(payload) as { version: number }).version)).toEqual([done.configVersion]);
    await listening.unlisten();
  });

  it("that changes nothing writes nothing", async () => {
    const { value } = await createGroup(test.db, context, { name: "still", weight: 7 });
    const again = await updateGroup(test.db, context, { name: "still", patch: { weight: 7 } });
    expect(again).toMatchObject({ auditId: null, value: { version: value.version } });
    expect(again.configVersion).toBe(await readConfigVersion(test.db));
  });

  it("of more things than a notice can carry says that anything may have changed", async () => {
    const heard: string[] = [];
    const listening = await test.sql.listen(CONFIG_CHANNEL, (payload) => void heard.push(payload));
    await change(test.db, context, async (inside) => {
      for (let n = 0; n < 500; n++) inside.touch({ kind: "key", id: crypto.randomUUID() });
    });
    const deadline = Date.now() + 5_000;
    while (heard.length === 0 && Date.now() < deadline) await test.sql`select 1`;
    expect(JSON.parse(heard[0] ?? "{}")).toMatchObject({ changes: "all" });
    await listening.unlisten();
  });

  it("cannot empty a group and fill it at the same moment", async () => {
    await createGroup(test.db, context, { name: "raced", weight: 1 });
    const fill = change(test.db, context, async (inside) => {
      await inside.tx.execute(
        "insert into tenants (name, group_id) select 'late', id from groups where name = 'raced'",
      );
    });
    const results = await Promise.allSettled([deleteGroup(test.db, context, { name: "raced" }), fill]);
    const rows =
      await test.sql`select t.name from tenants t left join groups g on g.id = t.group_id where g.id is null`;
    expect(rows).toHaveLength(0);
    expect(results.some((result) => result.status === "fulfilled")).toBe(true);
  });
});
