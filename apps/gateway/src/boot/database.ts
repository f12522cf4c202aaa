/** Opens the database, the product's own or a given one, and brings it to the schema of this code. */
import { setTimeout as delay } from "node:timers/promises";
import type { Settings } from "@obleth/config";
import { connect, type DbHandle, makeDb, migrate, SchemaTooNewError } from "@obleth/db";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "@obleth/db/embedded";
import { StartError } from "../errors";
import type { Log } from "../log";

export interface OpenDatabase {
  readonly url: string;
  readonly handle: DbHandle;
  /** Null: a database that others run. */
  readonly embedded: EmbeddedPostgres | null;
  /** Whether it answers at this moment, its version, and how long a call takes. */
  probe(): Promise<{ reachable: boolean; version: string | null; call_ms: number | null }>;
  /** Closes connections, then stops the embedded server. */
  close(): Promise<void>;
  /** For leaving at once: tells the embedded server to stop and does not wait. */
  closeWithoutWaiting(): void;
}

/** How long a database that starts together with the gateway may take to answer. */
const CONNECT_DEADLINE_MS = 60_000;
/** Between two tries: soon enough that a start waits no longer than its database does. */
const RETRY_MS = 500;
/** A state page must not hang because the database does. */
const PROBE_MS = 1_000;

export interface DatabaseOptions {
  readonly dataDir: string;
  readonly log: Log;
  readonly stopping: AbortSignal;
}

export async function openDatabase(settings: Settings, options: DatabaseOptions): Promise<OpenDatabase> {
  const { databaseUrl } = settings;
  return await (databaseUrl === null ? openEmbedded(settings, options) : openGiven(settings, databaseUrl, options));
}

async function openEmbedded(settings: Settings, { dataDir, log }: DatabaseOptions): Promise<OpenDatabase> {
  let server: EmbeddedPostgres | undefined;
  try {
    server = await startEmbeddedPostgres({
      dataDir,
      port: settings.embeddedPostgresPort,
      onEvent: (event, details) => log.info(details, event),
    });
    const { url } = server;
    log.info({ dir: server.dir, port: server.port, applied: await migrate(url) }, "database.ready");
    const handle = makeDb(url, { maxConnections: settings.databasePoolSize });
    const embedded = server;
    return {
      url,
      handle,
      embedded,
      probe: () => probe(handle),
      close: async () => {
        await handle.close();
        await embedded.stop();
      },
      closeWithoutWaiting: () => embedded.stopWithoutWaiting(),
    };
  } catch (error) {
    await server?.stop();
    throw error;
  }
}

async function openGiven(settings: Settings, url: string, options: DatabaseOptions): Promise<OpenDatabase> {
  const { log } = options;
  await untilItAnswers(url, options);
  try {
    log.info({ applied: await migrate(url) }, "database.ready");
  } catch (error) {
    if (error instanceof SchemaTooNewError) throw error;
    throw new StartError(`the database could not be migrated: ${reasonOf(error)}`, { cause: error });
  }
  const handle = makeDb(url, { maxConnections: settings.databasePoolSize, prepare: settings.databasePrepare });
  return {
    url,
    handle,
    embedded: null,
    probe: () => probe(handle),
    close: () => handle.close(),
    closeWithoutWaiting: () => {},
  };
}

async function probe({ sql }: DbHandle) {
  const startMs = performance.now();
  try {
    const answer = await Promise.race([
      sql<{ version: string }[]>`select current_setting('server_version') as version`,
      delay(PROBE_MS, undefined, { ref: false }),
    ]);
    if (answer === undefined) return { reachable: false, version: null, call_ms: null };
    return { reachable: true, version: answer[0]?.version ?? null, call_ms: performance.now() - startMs };
  } catch {
    return { reachable: false, version: null, call_ms: null };
  }
}

async function untilItAnswers(url: string, { log, stopping }: DatabaseOptions): Promise<void> {
  const deadline = performance.now() + CONNECT_DEADLINE_MS;
  let hasComplained = false;
  for (;;) {
    const sql = connect(url, { max: 1, prepare: false });
    try {
      await sql`select 1`;
      return;
    } catch (error) {
      if (isFinal(error) || performance.now() > deadline) {
        throw new StartError(`the database of OBLETH_DATABASE_URL does not answer: ${reasonOf(error)}`, {
          cause: error,
        });
      }
      if (!hasComplained) log.warn({ reason: reasonOf(error) }, "database.waiting");
      hasComplained = true;
      await delay(RETRY_MS, undefined, { signal: stopping });
    } finally {
      await sql.end({ timeout: 1 });
    }
  }
}

/** Wrong password, unknown user, unknown database: waiting does not help. */
function isFinal(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return ["28P01", "28000", "3D000"].includes(code);
}

/** Postgres's own words or the system's code; never the address, which holds the password. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error ? String(error.code) : "";
  return error.message === "" ? code : error.message;
}
