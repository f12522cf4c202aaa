/** Opens the database, the product's own or a given one, and brings it to the schema of this code. */
import { setTimeout as delay } from "node:timers/promises";
import type { Settings } from "@obleth/config";
import { connect, type DbHandle, makeDb, migrate, SchemaTooNewError } from "@obleth/db";
import { type DataLock, type EmbeddedPostgres, lockDataDir, startEmbeddedPostgres } from "@obleth/db/embedded";
import { StartError } from "../errors";
import type { Log } from "../log";

export interface OpenDatabase {
  readonly url: string;
  readonly handle: DbHandle;
  /** Null: a database that others run. */
  readonly embedded: EmbeddedPostgres | null;
  /** Closes connections, then stops the embedded server and lets the data folder go. */
  close(): Promise<void>;
  /** For leaving at once: tells the embedded server to stop and does not wait. */
  closeWithoutWaiting(): void;
}

/** How long a database that starts together with the gateway may take to answer. */
const CONNECT_DEADLINE_MS = 60_000;
const RETRY_MS = 500;

export async function openDatabase(settings: Settings, dataDir: string, log: Log): Promise<OpenDatabase> {
  return settings.databaseUrl === null
    ? await openEmbedded(settings, dataDir, log)
    : await openGiven(settings, settings.databaseUrl, log);
}

async function openEmbedded(settings: Settings, dataDir: string, log: Log): Promise<OpenDatabase> {
  const lock: DataLock = lockDataDir(dataDir);
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
      close: async () => {
        await handle.close();
        await embedded.stop();
        lock.release();
      },
      closeWithoutWaiting: () => {
        embedded.stopWithoutWaiting();
        lock.release();
      },
    };
  } catch (error) {
    await server?.stop();
    lock.release();
    throw error;
  }
}

async function openGiven(settings: Settings, url: string, log: Log): Promise<OpenDatabase> {
  await untilItAnswers(url, log);
  try {
    log.info({ applied: await migrate(url) }, "database.ready");
  } catch (error) {
    if (error instanceof SchemaTooNewError) throw error;
    throw new StartError(`the database could not be migrated: ${reasonOf(error)}`, { cause: error });
  }
  const handle = makeDb(url, { maxConnections: settings.databasePoolSize, prepare: settings.databasePrepare });
  return { url, handle, embedded: null, close: () => handle.close(), closeWithoutWaiting: () => {} };
}

async function untilItAnswers(url: string, log: Log): Promise<void> {
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
      await delay(RETRY_MS);
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
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error ? String(error.code) : "";
  return error.message === "" ? code : error.message;
}
