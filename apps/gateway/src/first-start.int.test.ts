/** Many gateways that meet an empty database at the same moment, as processes. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createTestDatabase, type TestDatabase } from "@obleth/db/testing";
import { afterAll, beforeAll, expect, it, onTestFailed } from "vitest";
import { GatewayProcess, removeBundle, until } from "./testing/gateway-process";

const TOKEN = "t".repeat(40);
const REPLICAS = 10;

let folder: string;
let database: TestDatabase;
let gateways: GatewayProcess[];

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "obleth-first-start-"));
  database = await createTestDatabase({ migrated: false });
  gateways = [];
});

afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  removeBundle();
  rmSync(folder, { recursive: true, force: true });
  await database.drop();
}, 60_000);

function spawnOne(name: number): GatewayProcess {
  return GatewayProcess.spawn(path.join(folder, String(name)), {
    OBLETH_DATABASE_URL: database.url,
    OBLETH_ADMIN_TOKEN: TOKEN,
    OBLETH_SESSION_SECRET: "s".repeat(40),
    OBLETH_ENCRYPTION_KEY: "e".repeat(40),
    OBLETH_SHUTDOWN_GRACE_SECS: "1",
  });
}

it(`${REPLICAS} gateways started at once on an empty database migrate it once, and all serve`, async () => {
  onTestFailed(() => console.log(gateways.map((one) => one.output).join("\n---\n")));
  gateways = Array.from({ length: REPLICAS }, (_, i) => spawnOne(i));
  await Promise.all(gateways.map((gateway) => gateway.untilWritten('"gateway.ready"')));
  const journal = path.resolve(import.meta.dirname, "../../../drizzle/meta/_journal.json");
  const total = (JSON.parse(readFileSync(journal, "utf8")) as { entries: unknown[] }).entries.length;
  const applied = gateways.map((one) => Number(/"applied":(\d+)/.exec(one.output)?.[1]));
  expect(applied.toSorted((a, b) => b - a)).toEqual([total, ...Array(REPLICAS - 1).fill(0)]);
  const [row] = await database.sql<{ n: number }[]>`select count(*)::int as n from drizzle.__drizzle_migrations`;
  expect(row?.n).toBe(total);
  await gateways[0]?.manage("POST", "/fairshare/groups", { name: "one" }, TOKEN);
  const answers = await Promise.all(gateways.map((one) => one.manage("GET", "/fairshare/groups", undefined, TOKEN)));
  const totals = await Promise.all(answers.map(async (one) => ((await one.json()) as { total: number }).total));
  expect(totals).toEqual(Array(REPLICAS).fill(2));
  await until(() => gateways.every((one) => one.isRunning));
}, 120_000);
