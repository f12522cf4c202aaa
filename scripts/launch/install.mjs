/**
 * Brings node_modules and build results up to date, doing nothing where they are. Has no dependencies: on a fresh clone
 * there are none to have.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { QUIET, ROOT } from "./environment.mjs";
import { Refusal } from "./refusal.mjs";

/**
 * Whether every package the lock file wants is there in the version it wants. Compares the lock with the record npm keeps
 * of what it installed; packages that are optional (other platforms' binaries) may be missing.
 * @param {string} root
 */
export function isInstalled(root = ROOT) {
  const wanted = packagesOf(path.join(root, "package-lock.json"));
  const present = packagesOf(path.join(root, "node_modules/.package-lock.json"));
  if (wanted === undefined || present === undefined) return false;
  return Object.entries(wanted).every(([place, entry]) => {
    if (!place.startsWith("node_modules/") && !place.includes("/node_modules/")) return true;
    const found = present[place];
    if (found === undefined) return entry.optional === true || entry.devOptional === true || entry.peer === true;
    return entry.link === true || found.version === entry.version;
  });
}

/** Installs what the lock file says when it is not all there. Says so, since it takes a minute. */
export async function ensureInstalled() {
  if (isInstalled()) return;
  requireWritableTree();
  console.log("Installing packages (a minute or so) ...");
  const npm = findNpm();
  const code = await run(npm.command, [...npm.args, "ci", "--no-audit", "--no-fund", "--loglevel=error"]);
  if (code !== 0) throw new Refusal("npm ci failed; the lines above say why.");
}

/**
 * Builds what changed since it was last built.
 * @param {readonly string[]} names workspace packages; none means all
 */
export async function ensureBuilt(names = []) {
  requireWritableTree();
  const notice = setTimeout(() => console.log("Building what changed (a minute or so the first time) ..."), 2000);
  const turbo = path.join(ROOT, "node_modules/turbo/bin/turbo");
  const filters = names.map((name) => `--filter=${name}`);
  const options = ["--output-logs=errors-only", "--log-order=grouped", ...filters];
  const { code, output } = await capture(process.execPath, [turbo, "run", "build", ...options]);
  clearTimeout(notice);
  if (code !== 0) throw new Refusal(`${output.trimEnd()}\nThe build failed; the lines above say why.`);
}

/**
 * Runs a program in the repository and keeps what it prints.
 * @param {string} command
 * @param {readonly string[]} args
 */
async function capture(command, args) {
  const child = spawn(command, args, {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...QUIET },
  });
  let output = "";
  for (const pipe of [child.stdout, child.stderr]) pipe.on("data", (data) => (output += data));
  const code = await untilEnded(child);
  return { code, output };
}

/**
 * Runs a program in the repository, its output shown as it comes.
 * @param {string} command
 * @param {readonly string[]} args
 */
async function run(command, args) {
  const child = spawn(command, args, {
    cwd: ROOT,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...QUIET },
  });
  return untilEnded(child);
}

/**
 * Waits for a child that ends with us: whoever stops the launcher stops it too.
 * @param {import("node:child_process").ChildProcess} child
 * @returns {Promise<number>} its exit code; 1 when a signal ended it
 */
async function untilEnded(child) {
  let isStopped = false;
  const pass = () => {
    isStopped = true;
    child.kill("SIGTERM");
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, pass);
  const [code] = await once(child, "close");
  for (const signal of signals) process.off(signal, pass);
  if (isStopped) throw new Refusal("Stopped.");
  return code ?? 1;
}

/** npm as a script of this very Node where possible, so that no wrapper stands between. */
export function findNpm() {
  const fromRun = process.env.npm_execpath;
  if (fromRun?.endsWith(".js") && existsSync(fromRun)) return { command: process.execPath, args: [fromRun] };
  return { command: process.platform === "win32" ? "npm.cmd" : "npm", args: [] };
}

function requireWritableTree() {
  try {
    accessSync(ROOT, constants.W_OK);
  } catch {
    throw new Refusal(`Cannot write to ${ROOT}: packages and builds go there.`);
  }
}

/**
 * @param {string} file
 * @returns {Record<string, {version?: string, link?: boolean, optional?: boolean, devOptional?: boolean, peer?: boolean}> | undefined}
 */
function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8")).packages;
  } catch {
    return undefined;
  }
}
