/**
 * The processes of one run. Each is a direct child in a process group of its own, so that Ctrl-C reaches only us and we
 * decide who stops when; a record on disk lets the next start clear away what a killed launcher left behind.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./environment.mjs";
import { Refusal } from "./refusal.mjs";

/** After this a process that was asked to stop is killed. Longer than the gateway's grace under the launcher. */
const STOP_MS = 20_000;
const TAIL_LINES = 12;

/** @typedef {{ name: string, child: import("node:child_process").ChildProcess, logFile: string }} Running */

export class Processes {
  /** @type {Running[]} */
  #running = [];
  #isStopping = false;
  /** @type {string} */
  #dataDir;
  /** @type {(name: string) => void} */
  #onLost;

  /**
   * @param {string} dataDir
   * @param {(name: string) => void} onLost called when a process ends that nobody asked to
   */
  constructor(dataDir, onLost) {
    this.#dataDir = dataDir;
    this.#onLost = onLost;
    mkdirSync(path.join(dataDir, "logs"), { recursive: true });
  }

  /**
   * Starts `node <args>`; its output goes to a log file of its name, or to the terminal.
   * @param {string} name
   * @param {{ args: string[], env?: Record<string, string | undefined>, cwd?: string, isShown?: boolean }} what
   * @returns {Running}
   */
  start(name, { args, env = {}, cwd = ROOT, isShown = false }) {
    const logFile = path.join(this.#dataDir, "logs", `${name}.log`);
    const log = openSync(logFile, "w");
    const output = isShown ? "inherit" : log;
    const child = spawn(process.execPath, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", output, output],
      detached: true,
    });
    const running = { name, child, logFile };
    this.#running.push(running);
    this.#record();
    child.once("exit", () => {
      if (!this.#isStopping) this.#onLost(name);
    });
    return running;
  }

  /** Last lines a process wrote, for the message when it fails. @param {string} name */
  tail(name) {
    const log = readFileSync(path.join(this.#dataDir, "logs", `${name}.log`), "utf8");
    return log.trimEnd().split("\n").slice(-TAIL_LINES).join("\n");
  }

  /**
   * Resolves once `url` answers 2xx; refuses when the process ends first or `seconds` pass.
   * @param {Running} running
   * @param {string} url
   * @param {number} seconds
   */
  async untilReady(running, url, seconds = 60) {
    const deadline = Date.now() + seconds * 1000;
    while (Date.now() < deadline) {
      if (hasEnded(running.child)) throw new Refusal(`${running.name} did not start:\n${this.tail(running.name)}`);
      const isReady = await fetch(url, { redirect: "manual" }).then(
        (response) => response.status < 400,
        () => false,
      );
      if (isReady) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Refusal(`${running.name} was not ready after ${seconds} s; its log is ${running.logFile}`);
  }

  /** Asks every process to stop, last started first, and waits; kills those that do not. */
  async stopAll() {
    this.#isStopping = true;
    for (const running of [...this.#running].reverse()) await this.#stop(running);
    rmSync(recordFile(this.#dataDir), { force: true });
  }

  /** Tells every process again, which those that finish their work first take as an order to leave now. */
  hurry() {
    for (const { child } of this.#running) if (!hasEnded(child)) child.kill("SIGTERM");
  }

  /** @param {Running} running */
  async #stop({ child }) {
    if (hasEnded(child)) return;
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    const killer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
    await ended;
    clearTimeout(killer);
  }

  #record() {
    const children = this.#running.map(({ name, child: { pid } }) => ({ name, pid, started: startOf(pid) }));
    const launcher = { pid: process.pid, started: startOf(process.pid) };
    writeFileSync(recordFile(this.#dataDir), JSON.stringify({ launcher, children }));
  }
}

/**
 * Stops what an earlier launcher left running when it was killed. Refuses when that launcher is still alive.
 * @param {string} dataDir
 */
export async function clearLeftovers(dataDir) {
  /** @type {{ launcher: { pid: number, started: string }, children: { name: string, pid: number, started: string }[] }} */
  let record;
  try {
    record = JSON.parse(readFileSync(recordFile(dataDir), "utf8"));
  } catch {
    return;
  }
  if (isStill(record.launcher)) {
    throw new Refusal(
      `obleth is already running here (process ${record.launcher.pid}). Stop it, or set OBLETH_DATA_DIR.`,
    );
  }
  for (const child of record.children) {
    if (!isStill(child)) continue;
    process.kill(child.pid, "SIGTERM");
    const deadline = Date.now() + STOP_MS;
    while (isStill(child)) {
      if (Date.now() > deadline) process.kill(child.pid, "SIGKILL");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  rmSync(recordFile(dataDir), { force: true });
}

/** @param {string} dataDir */
function recordFile(dataDir) {
  return path.join(dataDir, "processes.json");
}

/** @param {import("node:child_process").ChildProcess} child */
function hasEnded(child) {
  return child.exitCode !== null || child.signalCode !== null;
}

/**
 * Is the process of a record running? Told by its start, since its number may have been given to another since, and
 * its command line is its own to change (the dashboard's server does).
 * @param {{ pid: number, started: string }} recorded
 */
function isStill({ pid, started }) {
  return started !== "" && startOf(pid) === started;
}

/**
 * When a process began, in the system's own words; "" when there is none or it has only not been waited for.
 * @param {number | undefined} pid
 */
function startOf(pid) {
  try {
    if (existsSync("/proc/self")) {
      // The name in brackets may hold anything; after it come the state and, twentieth, the start in clock ticks.
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ");
      return fields[0] === "Z" ? "" : (fields[19] ?? "");
    }
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return "";
  }
}
