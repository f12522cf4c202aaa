/** Connections to Postgres. */
import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import * as schema from "./schema";

export type Db = PostgresJsDatabase<typeof schema>;
/** A transaction, or the database itself where a single statement needs none. */
export type Tx = Pick<Db, "select" | "insert" | "update" | "delete" | "execute">;
export type Sql = postgres.Sql;

export interface DbHandle {
  readonly db: Db;
  readonly sql: Sql;
  /** Waits for running queries, at most five seconds. */
  close(): Promise<void>;
}

export interface DbOptions {
  /** Most connections, from 1. */
  readonly maxConnections?: number;
  /** Prepared statements; turn off behind a pooler in transaction mode. */
  readonly prepare?: boolean;
}

/** Opens a pool; the first query connects. No statement may run longer than a minute, unless a pooler is in between. */
export function makeDb(url: string, options: DbOptions = {}): DbHandle {
  const { maxConnections: max = 10, prepare = true } = options;
  const sql = connect(url, { max, prepare, ...(prepare ? { statementTimeoutMs: STATEMENT_TIMEOUT_MS } : {}) });
  return {
    db: drizzle(sql, { schema, casing: "snake_case" }),
    sql,
    close: () => sql.end({ timeout: 5 }),
  };
}

const STATEMENT_TIMEOUT_MS = 60_000;

/** Several reads that all see the database as it is at the first of them. */
export function readTogether<Value>(db: Db, read: (tx: Tx) => Promise<Value>): Promise<Value> {
  return db.transaction(read, { isolationLevel: "repeatable read", accessMode: "read only" });
}

/** Quiet about notices; times in UTC. A pooler refuses connections that ask for a statement timeout. */
export function connect(
  url: string,
  { statementTimeoutMs, ...options }: { max: number; prepare?: boolean; statementTimeoutMs?: number },
): Sql {
  const limit = statementTimeoutMs === undefined ? {} : { statement_timeout: statementTimeoutMs };
  return postgres(url, {
    ...options,
    connect_timeout: 10,
    onnotice: () => {},
    connection: { application_name: "obleth", TimeZone: "UTC", ...limit },
  });
}
