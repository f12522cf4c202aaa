/**
 * The gateway as a process of its own on free loopback ports: for tests of its life from outside. Bundled once for each
 * test file, so that it starts quickly and edits under way do not reach it.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const APP = path.resolve(import.meta.dirname, "../..");
const ROOT = path.resolve(import.meta.dirname, "../../../..");
const START_MS = 50_000;
const LAST_WORDS_MS = 1_000;

export interface RunFacts {
  readonly pid: number;
  readonly instance: string;
  readonly proxy: string;
  readonly admin: string;
  readonly metrics: string;
  readonly database: { readonly pid: number; readonly port: number; readonly dir: string } | null;
}

export class GatewayProcess {
  /** Everything it wrote to either output. */
  output = "";
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;

  private constructor(
    readonly dataDir: string,
    env: Readonly<Record<string, string>>,
  ) {
    this.#child = spawn(process.execPath, [bundle()], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env.PATH ?? "",
        OBLETH_DATA_DIR: dataDir,
        OBLETH_PROXY_LISTEN: "127.0.0.1:0",
        OBLETH_ADMIN_LISTEN: "127.0.0.1:0",
        OBLETH_METRICS_LISTEN: "127.0.0.1:0",
        ...env,
      },
    });
    this.#child.stdout?.on("data", (text) => (this.output += String(text)));
    this.#child.stderr?.on("data", (text) => (this.output += String(text)));
    // Its last words may still be in the pipe; who inherited the pipe may keep it open for long.
    const closed = once(this.#child, "close");
    this.#ended = once(this.#child, "exit").then(async ([code]) => {
      await Promise.race([closed, pause(LAST_WORDS_MS, undefined, { ref: false })]);
      return code as number | null;
    });
  }

  /** Starts it and does not wait. */
  static spawn(dataDir: string, env: Readonly<Record<string, string>> = {}): GatewayProcess {
    return new GatewayProcess(dataDir, env);
  }

  /** Starts it and waits until it says it is ready. */
  static async start(dataDir: string, env: Readonly<Record<string, string>> = {}): Promise<GatewayProcess> {
    const gateway = new GatewayProcess(dataDir, env);
    await gateway.untilWritten('"gateway.ready"');
    return gateway;
  }

  /** What run.json says; of the first replica's folder when the database is a given one. */
  get run(): RunFacts {
    const places = [this.dataDir, ...Array.from({ length: 8 }, (_, i) => path.join(this.dataDir, `replica-${i + 1}`))];
    for (const place of places) {
      const file = path.join(place, "run.json");
      if (!existsSync(file)) continue;
      const run = JSON.parse(readFileSync(file, "utf8")) as RunFacts;
      if (run.pid === this.#child.pid) return run;
    }
    throw new Error("there is no run.json of this process");
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Its exit code; null when a signal ended it. */
  ended(): Promise<number | null> {
    return this.#ended;
  }

  async stop(): Promise<number | null> {
    if (this.isRunning) this.signal("SIGTERM");
    return await this.#ended;
  }

  async untilWritten(text: string): Promise<void> {
    await until(() => {
      if (this.output.includes(text)) return true;
      if (!this.isRunning) throw new Error(`the gateway ended before it wrote ${text}:\n${this.output}`);
      return false;
    });
  }

  file(name: string): string {
    return readFileSync(path.join(this.dataDir, name), "utf8").trim();
  }

  get sampleKeys(): Readonly<Record<string, string>> {
    return (JSON.parse(this.file("sample-keys.json")) as { keys: Record<string, string> }).keys;
  }

  /** A call of the management API with the admin token. */
  async manage(method: string, route: string, body?: unknown, token = this.file("admin-token")): Promise<Response> {
    return await fetch(`${this.run.admin}/api/v1${route}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  /** A chat call; answers as fetch does, and fails as it does once the process has gone. */
  async chat(secret: string, body: Readonly<Record<string, unknown>> = {}): Promise<Response> {
    return await fetch(`${this.run.proxy}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "sim-chat", messages: [{ role: "user", content: "Hello" }], ...body }),
    });
  }
}

const BUNDLE = `main.${process.pid}.js`;

/** The bundle of this test process, made when first needed. */
function bundle(): string {
  const file = path.join(APP, "dist", BUNDLE);
  if (!existsSync(file)) {
    execFileSync(process.execPath, ["build.mjs", BUNDLE], { cwd: APP, stdio: ["ignore", "ignore", "inherit"] });
  }
  return file;
}

/** For the end of a test file. */
export function removeBundle(): void {
  for (const name of [BUNDLE, `${BUNDLE}.map`]) rmSync(path.join(APP, "dist", name), { force: true });
}

/** Waits for a condition, looking again every turn of the event loop that the system grants. */
export async function until(isDone: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + START_MS;
  while (!(await isDone())) {
    if (performance.now() > deadline) throw new Error("the condition did not come true in time");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
