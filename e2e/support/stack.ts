/**
 * The product as a user starts it: the launcher of `npm start` on free ports and with a data folder of its own. Tests see
 * what it prints, and talk to its parts over HTTP.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type ApiClient, createClient } from "@obleth/contract/client";
import { freePorts } from "./free-ports";
import { Simulator } from "./simulator";

export const ROOT = path.resolve(import.meta.dirname, "../..");
const ADMIN_TOKEN = "end-to-end-admin-token";
const START_MS = 90_000;

export interface StackOptions {
  /** Flags of the launcher beside `--prebuilt`. */
  readonly flags?: readonly string[];
  /** Further settings. */
  readonly env?: Readonly<Record<string, string>>;
  /** Keeps using the data of a stack that was stopped with `keepData`. */
  readonly dataDir?: string;
}

export interface Login {
  readonly email: string;
  readonly password: string;
}

export class Stack {
  /** Everything the launcher printed, as a person would read it. */
  output = "";

  private constructor(
    private readonly launcher: ChildProcess,
    readonly dataDir: string,
    readonly urls: { readonly proxy: string; readonly admin: string; readonly dashboard: string },
    readonly simulator: Simulator,
  ) {
    for (const pipe of [launcher.stdout, launcher.stderr]) pipe?.on("data", (data) => (this.output += String(data)));
  }

  /** Starts it and waits until the launcher says that it runs. */
  static async start(options: StackOptions = {}): Promise<Stack> {
    const [proxy, admin, metrics, dashboard, simulated] = await freePorts(5);
    const dataDir = options.dataDir ?? makeDataDir();
    const launcher = spawn(process.execPath, ["scripts/start.mjs", "--prebuilt", ...(options.flags ?? [])], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...process.env,
        OBLETH_DATA_DIR: dataDir,
        OBLETH_PROXY_LISTEN: `127.0.0.1:${proxy}`,
        OBLETH_ADMIN_LISTEN: `127.0.0.1:${admin}`,
        OBLETH_METRICS_LISTEN: `127.0.0.1:${metrics}`,
        OBLETH_DASHBOARD_LISTEN: `127.0.0.1:${dashboard}`,
        OBLETH_SIM_BACKEND_URL: `http://127.0.0.1:${simulated}`,
        OBLETH_ADMIN_TOKEN: ADMIN_TOKEN,
        OBLETH_SHUTDOWN_GRACE_SECS: "2",
        ...options.env,
      },
    });
    const url = (port: number | undefined) => `http://127.0.0.1:${port}`;
    const urls = { proxy: url(proxy), admin: url(admin), dashboard: url(dashboard) };
    const stack = new Stack(launcher, dataDir, urls, new Simulator(url(simulated)));
    try {
      await stack.untilPrinted("Ctrl-C stops everything");
    } catch (error) {
      await stack.stop();
      throw error;
    }
    return stack;
  }

  /** The typed client of the management API, with an administrator's token. */
  get management(): ApiClient {
    return createClient({ baseUrl: this.urls.admin, token: ADMIN_TOKEN });
  }

  /** The login that the first run made and the launcher printed. */
  get login(): Login {
    const match = /sign in as (\S+) with (\S+)/.exec(this.output);
    if (match?.[1] === undefined || match[2] === undefined) throw new Error(`no login in:\n${this.output}`);
    return { email: match[1], password: match[2] };
  }

  /** The command line that the launcher offers to try. */
  get curlLine(): string {
    const line = this.output.split("\n").find((one) => one.trim().startsWith("curl "));
    if (line === undefined) throw new Error(`no curl line in:\n${this.output}`);
    return line.trim();
  }

  /** A fresh API key of a tenant, by the tenant's name. */
  async makeKey(tenantName: string): Promise<string> {
    const tenant = await tenantNamed(this, tenantName);
    const made = await this.management.call("createKey", {
      params: { id: tenant.id },
      body: { name: `e2e-${Math.random().toString(36).slice(2, 10)}` },
    });
    return made.data.secret;
  }

  /** What one of the processes logged: `gateway`, `dashboard`, `sim-backend`. */
  logOf(name: string): string {
    return readFileSync(path.join(this.dataDir, "logs", `${name}.log`), "utf8");
  }

  /** Ends it as Ctrl-C does. @returns the launcher's exit code. */
  async stop(options: { keepData?: boolean } = {}): Promise<number | null> {
    if (this.launcher.exitCode === null && this.launcher.signalCode === null) {
      const ended = once(this.launcher, "exit");
      this.launcher.kill("SIGINT");
      await ended;
    }
    if (options.keepData !== true) rmSync(this.dataDir, { recursive: true, force: true });
    return this.launcher.exitCode;
  }

  /** Ends the launcher in a way that it cannot notice; what it started goes on running. */
  async killLauncher(): Promise<void> {
    const ended = once(this.launcher, "exit");
    this.launcher.kill("SIGKILL");
    await ended;
  }

  private async untilPrinted(text: string): Promise<void> {
    const deadline = Date.now() + START_MS;
    while (!this.output.includes(text)) {
      if (this.launcher.exitCode !== null) throw new Error(`the launcher ended:\n${this.output}`);
      if (Date.now() > deadline) throw new Error(`the launcher did not get ready:\n${this.output}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** A tenant as it is configured now. */
export async function tenantNamed({ management }: Pick<Stack, "management">, name: string) {
  const { data } = await management.call("listTenants", { query: { limit: 200 } });
  const found = data.items.find((tenant) => tenant.name === name);
  if (found === undefined) throw new Error(`no tenant ${name}`);
  return found;
}

/** A fresh folder that the database's user can enter too, so that the database lies in it and goes with it. */
function makeDataDir(): string {
  const dir = mkdtempSync(path.join(tmpdir(), "obleth-e2e-"));
  chmodSync(dir, 0o755);
  return dir;
}
