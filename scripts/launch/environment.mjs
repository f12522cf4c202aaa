/** What every process we start shares: where the repository is, which Node runs, and no telemetry. */
import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Refusal } from "./refusal.mjs";

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

/** Keep in step with `engines` of package.json; a test compares them. */
export const OLDEST_NODE = "20.19.0";

/** No tool we start reports to its makers. */
export const QUIET = {
  NEXT_TELEMETRY_DISABLED: "1",
  TURBO_TELEMETRY_DISABLED: "1",
  DO_NOT_TRACK: "1",
  SCARF_ANALYTICS: "false",
};

/**
 * What a large body took goes back to the system when it is freed. Left to itself, glibc takes the first one freed as a
 * sign to keep the memory of later ones. Without a meaning elsewhere.
 */
export const GIVES_MEMORY_BACK = {
  MALLOC_MMAP_THRESHOLD_: process.env.MALLOC_MMAP_THRESHOLD_ || "131072",
};

/** @param {string} running the version of this Node, such as `20.20.2` */
export function requireNode(running = process.versions.node) {
  const [major = 0, minor = 0] = running.split(".").map(Number);
  const [oldMajor = 0, oldMinor = 0] = OLDEST_NODE.split(".").map(Number);
  if (major > oldMajor || (major === oldMajor && minor >= oldMinor)) return;
  throw new Refusal(`obleth needs Node ${OLDEST_NODE} or newer; this is Node ${running}.`);
}

/**
 * Makes sure `dir` exists and can be written.
 * @param {string} dir
 * @param {string} variable the setting that moves it elsewhere
 */
export function requireWritable(dir, variable) {
  try {
    makeFolder(dir);
    accessSync(dir, constants.W_OK);
  } catch (error) {
    throw new Refusal(
      `Cannot write to ${dir} (${codeOf(error)}). Make it writable or set ${variable} to another folder.`,
    );
  }
}

/**
 * Makes a folder and those above it. Node's own recursive form never returns where the system denies that a folder can
 * exist, as below /proc.
 * @param {string} dir
 */
function makeFolder(dir) {
  if (existsSync(dir)) return;
  if (path.dirname(dir) !== dir) makeFolder(path.dirname(dir));
  mkdirSync(dir);
}

/**
 * @param {unknown} error
 * @returns {string} the system's name for it, such as EACCES
 */
export function codeOf(error) {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}
