/** Connections to Postgres. */
import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import * as schema from "./schema";
import { watchedSocket } from "./watched-socket";

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
  /** How long a connection may hear nothing before it is closed and its queries fail, ms; 65 s otherwise. */
  readonly silenceMs?: number;
}

/**
 * Opens a pool; the first query connects. No statement may run longer than a minute, unless a pooler is in between, nor
 * wait longer than that for a server that has gone silent.
 */
export function makeDb(url: string, options: DbOptions = {}): DbHandle {
  const { maxConnections: max = 10, prepare = true, silenceMs = SILENCE_MS } = options;
  const limit = prepare ? { statementTimeoutMs: STATEMENT_TIMEOUT_MS } : {};
  const sql = connect(url, { max, prepare, silenceMs, ...limit });
  return {
    db: drizzle(sql, { schema, casing: "snake_case" }),
    sql,
    close: () => sql.end({ timeout: 5 }),
  };
}

/** Longest statement: the widest question about usage fits, and a runaway one does not hold its connection for ever. */
const STATEMENT_TIMEOUT_MS = 60_000;
/** A server says something by the end of a statement at the latest. */
const SILENCE_MS = 65_000;
/** Connections not used for this long close in order, seconds; so the silence of the others is that of the server. */
const IDLE_SECS = 30;

/** Several reads that all see the database as it is at the first of them. */
export function readTogether<Value>(db: Db, read: (tx: Tx) => Promise<Value>): Promise<Value> {
  return db.transaction(read, { isolationLevel: "repeatable read", accessMode: "read only" });
}

export interface ConnectOptions {
  readonly max: number;
  readonly prepare?: boolean;
  /** A pooler refuses connections that ask for it. */
  readonly statementTimeoutMs?: number;
  /** Without one a connection may be silent for ever, as a listener's is. */
  readonly silenceMs?: number;
}

/** Quiet about notices; times in UTC. */
export function connect(url: string, { statementTimeoutMs, silenceMs, ...options }: ConnectOptions): Sql {
  const limit = statementTimeoutMs === undefined ? {} : { statement_timeout: statementTimeoutMs };
  // Of several hosts the driver itself has to find the one that is up.
  const isWatched = silenceMs !== undefined && !url.includes(",");
  const watched = isWatched ? { socket: watchedSocket(silenceMs), idle_timeout: IDLE_SECS } : {};
  return postgres(url, {
    ...options,
    ...watched,
    connect_timeout: 10,
    onnotice: () => {},
    connection: { application_name: "obleth", TimeZone: "UTC", ...limit },
  });
}
