/** What everything else stands on: the process's folder, the database at the right schema, and the secrets. */
import path from "node:path";
import { type Clock, SystemClock } from "@obleth/clock";
import type { Settings } from "@obleth/config";
import { makeSealer, type Sealer, secretHasher } from "@obleth/db";
import type { Log, LogHandle } from "../log";
import { Readiness } from "../observe/readiness";
import type { Build } from "./build";
import { type OpenDatabase, openDatabase } from "./database";
import { firstRun } from "./first-run";
import { givenSecrets, type InstallationSecrets, keptSecrets } from "./secrets";
import type { Started } from "./started";
import { ownDataDir, replicaDir } from "./state-dir";

export interface FoundationOptions {
  readonly settings: Settings;
  readonly logging: LogHandle;
  readonly instance: string;
  readonly build: Build;
  /** Aborted when the process is told to stop before it has started. */
  readonly stopping: AbortSignal;
}

export interface Foundation {
  readonly settings: Settings;
  readonly instance: string;
  readonly build: Build;
  readonly log: Log;
  readonly clock: Clock;
  /** Where this process keeps its own files. */
  readonly stateDir: string;
  readonly database: OpenDatabase;
  readonly secrets: InstallationSecrets;
  readonly sealer: Sealer;
  readonly hashSecret: (secret: string) => string;
  readonly readiness: Readiness;
}

export async function layFoundation(options: FoundationOptions, started: Started): Promise<Foundation> {
  const { settings, logging, instance, build, stopping } = options;
  const { log } = logging;
  const clock = new SystemClock();
  const dataDir = path.resolve(settings.dataDir);
  const isEmbedded = settings.databaseUrl === null;
  const state = isEmbedded ? ownDataDir(dataDir) : replicaDir(dataDir, log);
  started.push("data folder", () => state.release());
  const database = await openDatabase(settings, { dataDir, log, stopping });
  started.push("database", () => database.close());
  const readiness = new Readiness();
  readiness.set("database_migrated", true);
  const secrets = isEmbedded ? keptSecrets(settings, dataDir) : givenSecrets(settings);
  logging.hide([...Object.values(secrets), decodeURIComponent(new URL(database.url).password)]);
  const hashSecret = secretHasher(settings.apiKeyPepper ?? undefined);
  await firstRun({
    settings,
    db: database.handle.db,
    dataDir: isEmbedded ? dataDir : null,
    hashSecret,
    wallMs: () => clock.wallMs(),
    log,
  });
  const sealer = makeSealer(secrets.encryptionKey);
  return {
    settings,
    instance,
    build,
    log,
    clock,
    stateDir: state.dir,
    database,
    secrets,
    sealer,
    hashSecret,
    readiness,
  };
}
