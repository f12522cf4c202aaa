/**
 * Several gateways as an operator runs them: one Postgres, one Redis behind a wire that a test can cut, one simulated
 * backend, and a dashboard at the first gateway. Every part is a process of its own. With a Sentinel the gateways ask it
 * where Redis is, and a replica stands by.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type ApiClient, createClient } from "@obleth/contract/client";
import { freePorts } from "./free-ports";
import type { ModeChange } from "./limit-trial";
import { RedisProcess } from "./redis-process";
import { Simulator } from "./simulator";
import { type Login, ROOT } from "./stack";
import { Wire } from "./wire";

const ADMIN_TOKEN = "end-to-end-admin-token";
const READY_MS = 60_000;
/** Of the gateways; short, so that a test of lost replicas is short. */
export const HEARTBEAT_SECS = 1;
export const REPLICA_TTL_SECS = 3;

export interface FleetOptions {
  readonly gateways: number;
  readonly hasDashboard?: boolean;
  readonly hasSentinel?: boolean;
  /** Of the gateways, beside what ties them together. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface Gateway {
  /** Unlike that of any other of this fleet. */
  readonly name: string;
  readonly process: ChildProcess;
  readonly proxyUrl: string;
  readonly adminUrl: string;
  readonly management: ApiClient;
}

export class Fleet {
  readonly login: Login = { email: "admin@example.com", password: "end-to-end-password" };
  gateways: Gateway[] = [];
  dashboardUrl = "";
  readonly #children: ChildProcess[] = [];
  readonly #folder = mkdtempSync(path.join(tmpdir(), "obleth-fleet-"));
  #started = 0;

  private constructor(
    private readonly database: string,
    readonly redis: RedisProcess,
    /** What the gateways reach Redis by. */
    readonly wire: Wire,
    readonly simulator: Simulator,
    readonly standby: { readonly replica: RedisProcess; readonly sentinel: RedisProcess } | undefined,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  static async start({ gateways, hasDashboard = false, hasSentinel = false, env = {} }: FleetOptions): Promise<Fleet> {
    const services = spawn(process.execPath, ["--import", "tsx", "scripts/services.ts"], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [postgres] = await printed(services, [/TEST_PG_URL=(\S+)/, /TEST_REDIS_URL=(\S+)/]);
    const [simPort, dashboardPort] = await freePorts(2);
    const redis = await RedisProcess.start();
    const wire = await Wire.to({ host: "127.0.0.1", port: redis.port });
    const simulator = new Simulator(`http://127.0.0.1:${simPort}`);
    const standby = hasSentinel ? await startStandby(redis, wire) : undefined;
    const fleet = new Fleet(postgres ?? "", redis, wire, simulator, standby, env);
    fleet.#children.push(services);
    try {
      fleet.#run("apps/sim-backend/dist/main.js", {}, ["--port", String(simPort)]);
      await answers(`${simulator.url}/health`);
      // The first one migrates the empty database; the others find it ready.
      await fleet.addGateways(1);
      await fleet.addGateways(gateways - 1);
      if (hasDashboard) await fleet.#startDashboard(dashboardPort ?? 0);
      return fleet;
    } catch (error) {
      await fleet.stop();
      throw error;
    }
  }

  /** Starts so many more beside those that run. */
  async addGateways(count: number): Promise<Gateway[]> {
    const added = await Promise.all(Array.from({ length: count }, () => this.#startGateway()));
    this.gateways.push(...added);
    return added;
  }

  /** When which mode began, by gateway; those that answer. */
  async modeChanges(): Promise<Map<string, ModeChange[]>> {
    const found = new Map<string, ModeChange[]>();
    for (const { name, management } of this.gateways) {
      const { data } = await management.call("getCluster", {});
      found.set(
        name,
        data.mode_changes.map(({ ts_ms, mode }) => ({ atMs: ts_ms, mode })),
      );
    }
    return found;
  }

  async modes(): Promise<string[]> {
    const lives = this.gateways.map(({ management }) =>
      management.call("getFairshareLive", { query: { fields: "summary" } }),
    );
    return (await Promise.all(lives)).map(({ data }) => data.mode);
  }

  async #startGateway(): Promise<Gateway> {
    const name = `gateway-${++this.#started}`;
    const [proxy, admin, metrics] = await freePorts(3);
    const child = this.#run("apps/gateway/dist/main.js", {
      OBLETH_DATA_DIR: path.join(this.#folder, name),
      OBLETH_DATABASE_URL: this.database,
      ...this.#redisAddress(),
      OBLETH_PROXY_LISTEN: `127.0.0.1:${proxy}`,
      OBLETH_ADMIN_LISTEN: `127.0.0.1:${admin}`,
      OBLETH_METRICS_LISTEN: `127.0.0.1:${metrics}`,
      OBLETH_ADMIN_TOKEN: ADMIN_TOKEN,
      OBLETH_SESSION_SECRET: "end-to-end-session-secret-of-some-length",
      OBLETH_ENCRYPTION_KEY: "end-to-end-encryption-key-of-some-length",
      OBLETH_ADMIN_EMAIL: this.login.email,
      OBLETH_ADMIN_PASSWORD: this.login.password,
      OBLETH_FAIRSHARE_REPLICA_HEARTBEAT_SECS: String(HEARTBEAT_SECS),
      OBLETH_FAIRSHARE_REPLICA_TTL_SECS: String(REPLICA_TTL_SECS),
      OBLETH_SHUTDOWN_GRACE_SECS: "5",
      ...this.env,
    });
    const adminUrl = `http://127.0.0.1:${admin}`;
    await answers(`${adminUrl}/ready`);
    return {
      name,
      process: child,
      proxyUrl: `http://127.0.0.1:${proxy}`,
      adminUrl,
      management: createClient({ baseUrl: adminUrl, token: ADMIN_TOKEN }),
    };
  }

  #redisAddress(): Record<string, string> {
    if (this.standby === undefined) return { OBLETH_REDIS_URL: `redis://127.0.0.1:${this.wire.port}` };
    return {
      OBLETH_REDIS_SENTINELS: `127.0.0.1:${this.standby.sentinel.port}`,
      OBLETH_REDIS_SENTINEL_NAME: "mymaster",
    };
  }

  /** Makes a model on the simulated backend and a tenant. @returns an API key of the tenant. */
  async prepare(made: { model: string; slots: number; tenant: string }): Promise<string> {
    const secrets = await this.prepareTenants({ ...made, tenants: [made.tenant] });
    return secrets.get(made.tenant) ?? "";
  }

  /** Makes a model on the simulated backend and tenants. @returns an API key of each by its name. */
  async prepareTenants(made: { model: string; slots: number; tenants: readonly string[] }) {
    const management = this.gateways[0]?.management;
    if (management === undefined) throw new Error("no gateway");
    const api_base = `${this.simulator.url}/v1`;
    await management.call("createModel", { body: { name: made.model, max_in_flight: made.slots, api_base } });
    const secrets = new Map<string, string>();
    for (const name of made.tenants) {
      const tenant = await management.call("createTenant", { body: { name } });
      const key = await management.call("createKey", { params: { id: tenant.data.id }, body: { name: "main" } });
      secrets.set(name, key.data.secret);
    }
    return secrets;
  }

  async stop(): Promise<void> {
    for (const child of [...this.#children].reverse()) await stopChild(child);
    this.wire.close();
    await Promise.all([this.redis, this.standby?.replica, this.standby?.sentinel].map((one) => one?.stop()));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #startDashboard(port: number): Promise<void> {
    this.dashboardUrl = `http://127.0.0.1:${port}`;
    this.#run("apps/dashboard/.next/standalone/apps/dashboard/server.js", {
      HOSTNAME: "127.0.0.1",
      PORT: String(port),
      OBLETH_MANAGEMENT_URL: this.gateways[0]?.adminUrl ?? "",
      OBLETH_SESSION_SECRET: "end-to-end-session-secret-of-some-length",
    });
    await answers(`${this.dashboardUrl}/login`);
  }

  #run(program: string, env: Record<string, string>, args: readonly string[] = []): ChildProcess {
    const child = spawn(process.execPath, [program, ...args], {
      cwd: ROOT,
      stdio: "ignore",
      env: { ...process.env, ...env },
    });
    this.#children.push(child);
    return child;
  }
}

async function startStandby(redis: RedisProcess, wire: Wire) {
  const replica = await RedisProcess.start("--replicaof", `127.0.0.1 ${redis.port}`);
  return { replica, sentinel: await RedisProcess.startSentinel(wire.port) };
}

/** The first group of each pattern, once the program has printed them all. */
async function printed(child: ChildProcess, patterns: readonly RegExp[]): Promise<(string | undefined)[]> {
  let output = "";
  child.stdout?.on("data", (data) => (output += String(data)));
  const deadline = Date.now() + READY_MS;
  while (!patterns.every((pattern) => pattern.test(output))) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`the services did not start:\n${output}`);
    await pause();
  }
  return patterns.map((pattern) => pattern.exec(output)?.[1]);
}

async function answers(url: string): Promise<void> {
  const deadline = Date.now() + READY_MS;
  const isReady = () =>
    fetch(url).then(
      (response) => response.ok,
      () => false,
    );
  while (!(await isReady())) {
    if (Date.now() > deadline) throw new Error(`${url} did not answer`);
    await pause();
  }
}

/** Also one that was stopped where it stood. */
async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  child.kill("SIGCONT");
  await ended;
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50));
}
