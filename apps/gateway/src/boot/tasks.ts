/** What the gateway's program does besides serving: say which settings are in force, and migrate the database. */
import path from "node:path";
import { effectiveSettings, type ReadSettings, type Settings } from "@obleth/config";
import { migrate, SchemaTooNewError } from "@obleth/db";
import { startEmbeddedPostgres } from "@obleth/db/embedded";
import { StartError } from "../errors";
import { reasonOf } from "./database";
import { ownDataDir } from "./state-dir";

/** Does the task that the program's arguments name and answers with what there is to print. */
export async function runTask(args: readonly string[], read: ReadSettings): Promise<string> {
  const [task, ...flags] = args;
  const isJson = flags.includes("--json");
  switch (task) {
    case "config-check":
      return isJson ? settingsJson(read) : settingsText(read);
    case "migrate": {
      const applied = await migrateDatabase(read.settings);
      if (isJson) return JSON.stringify({ applied });
      return applied === 0 ? "The database is up to date." : `Applied ${applied} migration(s).`;
    }
    default:
      throw new StartError(`there is no task ${String(task)}; there are config-check and migrate`);
  }
}

async function migrateDatabase(settings: Settings): Promise<number> {
  if (settings.databaseUrl !== null) return await migrateGiven(settings.databaseUrl);
  const dataDir = path.resolve(settings.dataDir);
  const own = ownDataDir(dataDir);
  try {
    const server = await startEmbeddedPostgres({ dataDir, port: settings.embeddedPostgresPort });
    try {
      return await migrate(server.url);
    } finally {
      await server.stop();
    }
  } finally {
    own.release();
  }
}

async function migrateGiven(url: string): Promise<number> {
  try {
    return await migrate(url);
  } catch (error) {
    if (error instanceof SchemaTooNewError) throw error;
    throw new StartError(`the database could not be migrated: ${reasonOf(error)}`, { cause: error });
  }
}

function settingsText({ settings, notices }: ReadSettings): string {
  const lines = effectiveSettings(settings).map(({ name, value, isDefault }) => {
    return `${name}=${value ?? ""}${isDefault ? "" : "  (set)"}`;
  });
  return [...lines, ...notices.map(({ name, message }) => `${name}: ${message}`)].join("\n");
}

function settingsJson({ settings, notices }: ReadSettings): string {
  return JSON.stringify({ settings: effectiveSettings(settings), notices }, null, 2);
}
