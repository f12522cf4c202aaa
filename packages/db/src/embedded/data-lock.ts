/** One gateway process at a time owns a data folder. The lock names its owner and dies with it. */
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { EmbeddedDatabaseError, systemCode } from "./embedded-error";
import { processIdentity } from "./process-identity";

export interface DataLock {
  /** Lets others in. Later calls do nothing. */
  release(): void;
}

/** Attempts at a lock that vanishes between looking and taking; more than a few means something else is wrong. */
const MAX_ATTEMPTS = 5;

/**
 * Takes the folder for this process.
 * @throws EmbeddedDatabaseError when a running process has it or it cannot be written.
 */
export function lockDataDir(dir: string): DataLock {
  const file = path.join(dir, "gateway.lock");
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const taken = tryTake(file);
    if (taken !== undefined) return taken;
    const seen = readText(file);
    const owner = parseOwner(seen);
    if (owner !== undefined && processIdentity(owner.pid) === owner.identity) {
      throw new EmbeddedDatabaseError(
        `another gateway (process ${owner.pid}) uses the data folder ${dir}; stop it, or set OBLETH_DATA_DIR to another folder`,
      );
    }
    if (seen !== undefined) discardStale(file, seen);
  }
  throw new EmbeddedDatabaseError(`cannot lock the data folder ${dir}; several processes are starting in it`);
}

/** The lock appears whole, with its owner in it: one that is still empty would be taken for what a crash left. */
function tryTake(file: string): DataLock | undefined {
  const content = JSON.stringify({ pid: process.pid, identity: processIdentity(process.pid) });
  const unfinished = `${file}.${process.pid}.new`;
  try {
    writeFileSync(unfinished, content, { mode: 0o644 });
    linkSync(unfinished, file);
  } catch (error) {
    if (systemCode(error) === "EEXIST") return undefined;
    throw new EmbeddedDatabaseError(`cannot write to ${path.dirname(file)} (${systemCode(error)})`, { cause: error });
  } finally {
    rmSync(unfinished, { force: true });
  }
  return {
    release: () => {
      if (readText(file) === content) rmSync(file, { force: true });
    },
  };
}

/** Removes the lock that was seen, and puts back one that another process made meanwhile. */
function discardStale(file: string, seen: string): void {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
    if (readText(aside) !== seen) linkSync(aside, file);
  } catch (error) {
    if (systemCode(error) !== "ENOENT" && systemCode(error) !== "EEXIST") throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

function parseOwner(content: string | undefined): { pid: number; identity: string } | undefined {
  try {
    const owner: unknown = JSON.parse(content ?? "");
    if (typeof owner !== "object" || owner === null || !("pid" in owner) || !("identity" in owner)) return undefined;
    return typeof owner.pid === "number" && typeof owner.identity === "string"
      ? { pid: owner.pid, identity: owner.identity }
      : undefined;
  } catch {
    return undefined;
  }
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
