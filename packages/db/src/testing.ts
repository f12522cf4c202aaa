/** Databases for integration tests: each test file makes its own on the server of TEST_PG_URL and drops it again. */
import { randomBytes } from "node:crypto";
import { connect, type DbHandle, makeDb } from "./client";
import { migrate } from "./migrate";

export { ListenWire, type NoticeWire } from "./testing-wire";

export interface TestDatabase extends DbHandle {
  readonly url: string;
  /** Closes the handle and drops the database, whoever is still connected. */
  drop(): Promise<void>;
}

/** An empty database, migrated unless `migrated` is false. */
export async function createTestDatabase(options: { migrated?: boolean } = {}): Promise<TestDatabase> {
  const server = process.env.TEST_PG_URL;
  if (server === undefined || server === "") throw new Error("TEST_PG_URL names no Postgres server");
  const name = `t_${randomBytes(8).toString("hex")}`;
  const admin = connect(server, { max: 1 });
  await admin.unsafe(`create database "${name}"`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  if (options.migrated ?? true) await migrate(url.href);
  const handle = makeDb(url.href, { maxConnections: 4 });
  return {
    ...handle,
    url: url.href,
    drop: async () => {
      await handle.close();
      await admin.unsafe(`drop database if exists "${name}" with (force)`);
      await admin.end({ timeout: 5 });
    },
  };
}
