/**
 * The folder this process keeps its own files in. With the embedded database it is the data folder, held by one process.
 * Replicas on a given database may start side by side, so each takes a folder of its own that its successor finds
 * again; where nothing can be written, a temporary one does, since only usage that the database did not take goes there.
 */
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type DataLock, lockDataDir } from "@obleth/db/embedded";
import { StartError } from "../errors";
import type { Log } from "../log";

export interface StateDir {
  readonly dir: string;
  release(): void;
}

/** Replicas that may share one host and one data folder. */
const MAX_REPLICAS = 64;

/** The data folder itself, for this process alone. */
export function ownDataDir(dataDir: string): StateDir {
  try {
    // Others must be able to pass through: the database's user, when the gateway runs as root.
    mkdirSync(dataDir, { recursive: true, mode: 0o755 });
  } catch (error) {
    throw new StartError(`cannot write to ${dataDir}; set OBLETH_DATA_DIR to a folder this user can write`, {
      cause: error,
    });
  }
  const lock = lockDataDir(dataDir);
  return { dir: dataDir, release: () => lock.release() };
}

/** The first folder below the data folder that no other replica holds. */
export function replicaDir(dataDir: string, log: Log): StateDir {
  for (let place = 1; place <= MAX_REPLICAS; place++) {
    const dir = path.join(dataDir, `replica-${place}`);
    const lock = tryLock(dir);
    if (lock === "not writable") break;
    if (lock !== "taken") return { dir, release: () => lock.release() };
  }
  const dir = mkdtempSync(path.join(tmpdir(), "obleth-"));
  log.warn({ data_dir: dataDir, dir }, "data_dir.not_writable");
  return { dir, release: () => {} };
}

function tryLock(dir: string): DataLock | "taken" | "not writable" {
  try {
    mkdirSync(dir, { recursive: true });
  } catch {
    return "not writable";
  }
  try {
    return lockDataDir(dir);
  } catch (error) {
    return error instanceof Error && error.cause !== undefined ? "not writable" : "taken";
  }
}
