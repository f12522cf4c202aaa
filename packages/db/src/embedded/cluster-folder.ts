/**
 * The folder of one database cluster: where it lies, making it, its password, and what an earlier server left in it.
 * Layout: `data/` (Postgres's own), `password` (the superuser's, mode 0600) and `server.log`.
 */
import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import {
  chownSync,
  existsSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import type { PostgresBinaries } from "./binaries";
import { EmbeddedDatabaseError } from "./embedded-error";
import { canReach, makeFolder, makePrivate, type ServerUser, SYSTEM_STATE_DIR } from "./server-user";

export const SUPERUSER = "obleth";

/** A log past this size is emptied at the next start; it is for looking at the latest trouble only. */
const MAX_LOG_BYTES = 10 * 1024 * 1024;

export interface ClusterFolder {
  readonly dir: string;
  /** True when the data folder's own place cannot be reached by the server's user. */
  readonly isElsewhere: boolean;
}

/** Where the cluster of `dataDir` lies: inside it, or in the system's state folder when the server cannot enter it. */
export function placeCluster(dataDir: string, user: ServerUser | null, stateDir = SYSTEM_STATE_DIR): ClusterFolder {
  const isElsewhere = !canReach(dataDir, user);
  const name = createHash("sha256").update(realpathSync(dataDir)).digest("hex").slice(0, 12);
  const dir = isElsewhere ? path.join(stateDir, `data-${name}`) : path.join(dataDir, "postgres");
  if (isElsewhere) makeFolder(stateDir, 0o755);
  makeFolder(dir, 0o700);
  makePrivate(dir, user);
  return { dir, isElsewhere };
}

export interface InitOptions {
  readonly dir: string;
  readonly user: ServerUser | null;
  readonly binaries: PostgresBinaries;
  /** False skips flushing to disk: for tests. */
  readonly isDurable: boolean;
}

/**
 * Makes the cluster unless it is there, whole or not at all, and returns the superuser's password.
 * @throws EmbeddedDatabaseError when the folder was made by another major version or cannot be made.
 */
export function ensureCluster(options: InitOptions): string {
  const data = path.join(options.dir, "data");
  const passwordFile = path.join(options.dir, "password");
  if (existsSync(path.join(data, "PG_VERSION"))) {
    refuseOtherMajor(data, options.binaries.major);
    return readFileSync(passwordFile, "utf8").trim();
  }
  const password = randomBytes(24).toString("hex");
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  if (options.user !== null) chownSync(passwordFile, options.user.uid, options.user.gid);
  const unfinished = path.join(options.dir, "data.unfinished");
  rmSync(unfinished, { recursive: true, force: true });
  runInitdb(options, unfinished, passwordFile);
  renameSync(unfinished, data);
  return password;
}

/** The server log for appending, emptied first when it has grown large. */
export function logFileOf(dir: string): string {
  const file = path.join(dir, "server.log");
  if (existsSync(file) && statSync(file).size > MAX_LOG_BYTES) truncateSync(file);
  return file;
}

/** The process an earlier server noted as its own; null when there is none. */
export function notedServerPid(dir: string): number | null {
  try {
    const pid = Number(readFileSync(pidFileOf(dir), "utf8").split("\n")[0]);
    return Number.isSafeInteger(pid) && pid > 0 ? pid : null;
  } catch {
    return null;
  }
}

/** Removes the note of a server that is gone, which its successor would otherwise wait for or refuse. */
export function forgetServerPid(dir: string): void {
  rmSync(pidFileOf(dir), { force: true });
}

function pidFileOf(dir: string): string {
  return path.join(dir, "data", "postmaster.pid");
}

function refuseOtherMajor(data: string, major: number): void {
  const found = readFileSync(path.join(data, "PG_VERSION"), "utf8").trim();
  if (found === String(major)) return;
  throw new EmbeddedDatabaseError(
    `${data} was made by Postgres ${found} and this release carries ${major}; move it away to start afresh, or serve it ` +
      "with a Postgres of that version and set OBLETH_DATABASE_URL",
  );
}

function runInitdb(options: InitOptions, data: string, passwordFile: string): void {
  const args = ["-D", data, "-U", SUPERUSER, "-A", "scram-sha-256", `--pwfile=${passwordFile}`, "-E", "UTF8"];
  // Order and case rules by code point on every machine; the built-in provider exists from 17 on.
  if (options.binaries.major >= 17) args.push("--locale-provider=builtin", "--builtin-locale=C.UTF-8");
  args.push("--locale=C", ...(options.isDurable ? [] : ["--no-sync"]));
  try {
    execFileSync(options.binaries.initdb, args, {
      ...(options.user ?? {}),
      cwd: options.dir,
      env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
      stdio: ["ignore", "ignore", "pipe"],
      encoding: "utf8",
    });
  } catch (error) {
    rmSync(data, { recursive: true, force: true });
    throw new EmbeddedDatabaseError(`cannot make a database in ${options.dir}: ${firstComplaint(error)}`, {
      cause: error,
    });
  }
}

function firstComplaint(error: unknown): string {
  const output = error instanceof Error && "stderr" in error ? String(error.stderr) : String(error);
  return output.split("\n").find((line) => /error|fatal/i.test(line)) ?? output.split("\n")[0] ?? "initdb failed";
}
