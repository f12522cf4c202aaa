/** Real servers for tests, on private ports, gone when the tests are. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { startEmbeddedPostgres } from "@obleth/db/embedded";
import { findRedisProgram, isListening } from "../../e2e/support/redis-program";
import { freePort } from "../launch/addresses.mjs";
import { Refusal } from "../launch/refusal.mjs";

export interface Service {
  readonly url: string;
  stop(): Promise<void>;
}

/** The newest of the product's own Postgres, in a temporary folder, without crash safety. */
export async function startPostgres(): Promise<Service> {
  const dataDir = mkdtempSync(path.join(tmpdir(), "obleth-pg-"));
  // Else root's database user could not enter, and the database would lie elsewhere.
  chmodSync(dataDir, 0o755);
  const server = await startEmbeddedPostgres({ dataDir, isDurable: false });
  return {
    url: server.url,
    async stop() {
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** The Redis or Valkey of REDIS_SERVER_BIN, else from PATH, else installed by apt where that is possible, else a line that says what to install. */
export async function startRedis(): Promise<Service> {
  const program = findRedis();
  const port = await freePort();
  const server = spawn(
    program,
    ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", tmpdir()],
    { stdio: "ignore" },
  );
  await untilListening(server, port);
  return { url: `redis://127.0.0.1:${port}`, stop: () => stopChild(server) };
}

function findRedis(): string {
  const found = findRedisProgram() ?? (installByApt("redis-server") ? findRedisProgram() : undefined);
  if (found === undefined) {
    throw new Refusal(
      "The integration tests need a real Redis: install redis-server or valkey-server so that it is on PATH.",
    );
  }
  return found.server;
}

/** The first of `names` that PATH has, as a full path. */
export function onPath(names: readonly string[]): string | undefined {
  const dirs = (process.env.PATH ?? "").split(path.delimiter);
  return names.flatMap((name) => dirs.map((dir) => path.join(dir, name))).find((file) => existsSync(file));
}

/** Installs a Debian package when this is root on a system with apt; false when it could not. */
export function installByApt(name: string): boolean {
  if (process.getuid?.() !== 0 || onPath(["apt-get"]) === undefined) return false;
  console.log(`Installing ${name} with apt-get ...`);
  const apt = (args: string[]) =>
    spawnSync("apt-get", args, { stdio: "ignore", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } })
      .status === 0;
  const install = ["install", "-y", "--no-install-recommends", name];
  return apt(install) || (apt(["update"]) && apt(install));
}

/** Resolves once something listens on `port`; refuses when `child` ends first. */
export async function untilListening(child: ChildProcess, port: number): Promise<void> {
  const deadline = Date.now() + 15_000;
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Refusal(`${child.spawnfile} ended with exit code ${child.exitCode}.`);
    if (Date.now() > deadline) throw new Refusal(`${child.spawnfile} did not listen on port ${port}.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export async function stopChild(child: ChildProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
}
