/**
 * The secrets of an installation: from the environment where given, else made once and kept in the data folder in
 * files that only their owner can read.
 */
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Settings } from "@obleth/config";
import { StartError } from "../errors";

export interface InstallationSecrets {
  readonly adminToken: string;
  readonly sessionSecret: string;
  readonly encryptionKey: string;
}

/** 256 bits. */
const SECRET_BYTES = 32;

/** File names in the data folder; launchers and the dashboard read them too. */
const FILES = { adminToken: "admin-token", sessionSecret: "session-secret", encryptionKey: "encryption-key" } as const;

/** All three, made where missing. */
export function keptSecrets(settings: Settings, dataDir: string): InstallationSecrets {
  const kept = (name: keyof typeof FILES) => settings[name] ?? readOrMake(path.join(dataDir, FILES[name]));
  return { adminToken: kept("adminToken"), sessionSecret: kept("sessionSecret"), encryptionKey: kept("encryptionKey") };
}

/** Those of a fleet, which must be the same everywhere and so are never made up. */
export function givenSecrets(settings: Settings): InstallationSecrets {
  const { adminToken, sessionSecret, encryptionKey } = settings;
  if (adminToken === null || sessionSecret === null || encryptionKey === null) {
    throw new StartError("OBLETH_ADMIN_TOKEN, OBLETH_SESSION_SECRET and OBLETH_ENCRYPTION_KEY are required");
  }
  return { adminToken, sessionSecret, encryptionKey };
}

/** Writes a file that only its owner can read, whole or not at all. */
export function writePrivate(file: string, content: string): void {
  const unfinished = `${file}.${process.pid}`;
  try {
    writeFileSync(unfinished, content, { mode: 0o600 });
    chmodSync(unfinished, 0o600);
    renameSync(unfinished, file);
  } catch (error) {
    throw new StartError(`cannot write ${file}; set OBLETH_DATA_DIR to a folder this user can write`, { cause: error });
  }
}

function readOrMake(file: string): string {
  if (existsSync(file)) {
    const kept = readFileSync(file, "utf8").trim();
    if (kept !== "") return kept;
  }
  const made = randomBytes(SECRET_BYTES).toString("hex");
  writePrivate(file, `${made}\n`);
  return made;
}
