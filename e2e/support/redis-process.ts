/**
 * A Redis of a test's own on a loopback port: killed, hung and started anew on the same port at will. With `--replicaof`
 * a replica, with `sentinel` one that watches. Holds no data beyond its process.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { freePorts } from "./free-ports";
import { findRedisProgram, isListening, type RedisProgram } from "./redis-program";

const START_MS = 15_000;

export class RedisProcess {
  #child: ChildProcess | undefined;
  readonly #dir = mkdtempSync(path.join(tmpdir(), "obleth-redis-"));

  private constructor(
    readonly port: number,
    private readonly args: readonly string[],
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  static start(...args: string[]): Promise<RedisProcess> {
    return RedisProcess.startIn({}, ...args);
  }

  /** With these variables in its environment. */
  static async startIn(env: Readonly<Record<string, string>>, ...args: string[]): Promise<RedisProcess> {
    const [port = 0] = await freePorts(1);
    const redis = new RedisProcess(port, args, env);
    await redis.restart();
    return redis;
  }

  /** Watches the master `mymaster` at `masterPort`; alone it may promote its replica. */
  static async startSentinel(masterPort: number): Promise<RedisProcess> {
    const sentinel = await RedisProcess.start("--sentinel");
    await sentinel.command("SENTINEL", "MONITOR", "mymaster", "127.0.0.1", String(masterPort), "1");
    return sentinel;
  }

  /** Starts it again after `kill`, on the same port and empty. */
  async restart(): Promise<void> {
    const { server } = installed();
    const config = path.join(this.#dir, "redis.conf");
    const settings = ["bind 127.0.0.1", `port ${this.port}`, `dir ${this.#dir}`];
    const isSentinel = this.args.includes("--sentinel");
    writeFileSync(config, `${(isSentinel ? settings : [...settings, 'save ""', "appendonly no"]).join("\n")}\n`);
    this.#child = spawn(server, [config, ...this.args], {
      stdio: "ignore",
      env: { ...process.env, ...this.env },
    });
    const deadline = Date.now() + START_MS;
    while (!(await isListening(this.port))) {
      if (this.#child.exitCode !== null || Date.now() > deadline) throw new Error(`${server} did not start`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** As a crash does. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }

  /** Hangs with its connections open until `resume`. */
  pause(): void {
    this.#child?.kill("SIGSTOP");
  }

  resume(): void {
    this.#child?.kill("SIGCONT");
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#dir, { recursive: true, force: true });
  }

  /** Runs one command. @returns what it answers. */
  async command(...words: string[]): Promise<unknown> {
    return JSON.parse(await this.#ask(["--json", ...words]));
  }

  /** Runs one command that answers a text meant for people, such as INFO. */
  report(...words: string[]): Promise<string> {
    return this.#ask(words);
  }

  async #ask(args: readonly string[]): Promise<string> {
    const { cli } = installed();
    const { stdout } = await promisify(execFile)(cli, ["-p", String(this.port), ...args]);
    return stdout;
  }
}

function installed(): RedisProgram {
  const found = findRedisProgram();
  if (found === undefined) throw new Error("install redis-server or valkey-server so that it is on PATH");
  return found;
}
