/** Real Redis servers for tests: each on its own free loopback port, without persistence, stopped by its owner. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "../../../../e2e/support/free-ports";
import { findRedisProgram, isListening } from "../../../../e2e/support/redis-program";

export interface TestRedis {
  readonly port: number;
  readonly url: string;
  readonly process: ChildProcess;
  /** Kills it at once, as a crash does. */
  kill(): Promise<void>;
  /** SIGSTOP and SIGCONT: the process hangs with its sockets open. */
  pause(): void;
  resume(): void;
}

export async function startRedis(
  options: { port?: number; args?: string[]; configFile?: string } = {},
): Promise<TestRedis> {
  const port = options.port ?? (await freePort());
  const dir = mkdtempSync(join(tmpdir(), "obleth-redis-"));
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", dir];
  const file = options.configFile === undefined ? [] : [options.configFile];
  const common = options.configFile === undefined ? args : args.slice(0, 4);
  const program = findRedisProgram()?.server ?? "redis-server";
  const child = spawn(program, [...file, ...common, ...(options.args ?? [])], { stdio: "ignore" });
  child.once("exit", () => rmSync(dir, { recursive: true, force: true }));
  await portOpens(port, child);
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    process: child,
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
    pause: () => void child.kill("SIGSTOP"),
    resume: () => void child.kill("SIGCONT"),
  };
}

export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}

/** Checks `holds` until it is true; fails with `what` after `limitMs`. For real servers only. */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  limitMs = 10_000,
): Promise<void> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    if (await holds()) return;
    if (performance.now() > deadline) throw new Error(`not within ${limitMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** How long a fault on a real server lasts. */
export function lasting(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}

async function portOpens(port: number, child: ChildProcess): Promise<void> {
  await eventually(`Redis listens on ${port}`, () => {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`);
    return isListening(port);
  });
}
