/**
 * Who the database server runs as, and which folders that user can reach. Postgres refuses to run as root, so root
 * drops to `nobody`, who cannot enter folders below a private one such as root's home.
 */
import { chmodSync, chownSync, mkdirSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { EmbeddedDatabaseError, systemCode } from "./embedded-error";

export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/** `nobody` on Linux and macOS alike as far as permissions go: owns nothing, belongs to no group of interest. */
const NOBODY: ServerUser = { uid: 65_534, gid: 65_534 };

/** Where the server's files go when the data folder cannot be reached by the server's user. */
export const SYSTEM_STATE_DIR = "/var/lib/obleth";

/** Null when the server runs as the present user. */
export function serverUser(): ServerUser | null {
  return process.getuid?.() === 0 ? NOBODY : null;
}

/** True when `user` may enter every folder from the root down to `dir`, going by ownership and mode bits. */
export function canReach(dir: string, user: ServerUser | null): boolean {
  if (user === null) return true;
  let current = realpathSync(dir);
  for (;;) {
    const { mode, uid, gid } = statSync(current);
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    const parent = path.dirname(current);
    if (parent === current) return true;
    current = parent;
  }
}

/**
 * Makes `dir` and its parents; an existing one stays as it is.
 * @throws EmbeddedDatabaseError in one line when that is not allowed.
 */
export function makeFolder(dir: string, mode: number): void {
  try {
    mkdirSync(dir, { recursive: true, mode });
  } catch (error) {
    throw new EmbeddedDatabaseError(
      `cannot write to ${dir} (${systemCode(error)}); set OBLETH_DATA_DIR to a folder this user can write`,
      { cause: error },
    );
  }
}

/** Gives `dir` to the server's user alone. */
export function makePrivate(dir: string, user: ServerUser | null): void {
  try {
    chmodSync(dir, 0o700);
    if (user !== null) chownSync(dir, user.uid, user.gid);
  } catch (error) {
    throw new EmbeddedDatabaseError(
      `cannot give ${dir} to the database's user (${systemCode(error)}); run as a normal user or set OBLETH_DATABASE_URL`,
      { cause: error },
    );
  }
}
