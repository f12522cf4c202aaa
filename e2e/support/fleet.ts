/**
 * Several gateways as an operator runs them: one Postgres, one Redis behind a wire that a test can cut, one simulated
 * backend, and a dashboard at the first gateway. Every part is a process of its own.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type ApiClient, createClient } from "@obleth/contract/client";
import { freePorts } from "./free-ports";
import { Simulator } from "./simulator";
import { type Login, ROOT } from "./stack";
import { Wire } from "./wire";

const ADMIN_TOKEN = "end-to-end-admin-token";
const READY_MS = 60_000;
/** Of the gateways; short, so that a test of lost replicas is short. */
export const HEARTBEAT_SECS = 1;
export const REPLICA_TTL_SECS = 3;

export interface Gateway {
  readonly process: ChildProcess;
  readonly proxyUrl: string;
  readonly adminUrl: string;
  readonly management: ApiClient;
}

export class Fleet {
  readonly login: Login = { email: "admin@example.com", password: "end-to-end-password" };
  readonly gateways: Gateway[] = [];
  dashboardUrl = "";
  readonly #children: ChildProcess[] = [];
  readonly #folder = mkdtempSync(path.join(tmpdir(), "obleth-fleet-"));
  readonly #database: string;

  private constructor(
    services: { postgres: string },
    readonly redis: Wire,
    readonly simulator: Simulator,
  ) {
    this.#database = services.postgres;
  }

  static async start(size: number): Promise<Fleet> {
    const services = spawn(process.execPath, ["--import", "tsx", "scripts/services.ts"], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [postgres, redisUrl] = await printed(services, [/TEST_PG_URL=(\S+)/, /TEST_REDIS_URL=(\S+)/]);
    const { hostname, port } = new URL(redisUrl ?? "");
    const [simPort, dashboardPort] = await freePorts(2);
    const simulator = new Simulator(`http://127.0.0.1:${simPort}`);
    const fleet = new Fleet(
      { postgres: postgres ?? "" },
      await Wire.to({ host: hostname, port: Number(port) }),
      simulator,
    );
    fleet.#children.push(services);
    try {
      fleet.#run("apps/sim-backend/dist/main.js", {}, ["--port", String(simPort)]);
      await answers(`${simulator.url}/health`);
      for (let i = 0; i < size; i++) await fleet.addGateway();
      await fleet.#startDashboard(dashboardPort ?? 0);
      return fleet;
    } catch (error) {
      await fleet.stop();
      throw error;
    }
  }

  async addGateway(): Promise<Gateway> {
    const [proxy, admin, metrics] = await freePorts(3);
    const child = this.#run("apps/gateway/dist/main.js", {
      OBLETH_DATA_DIR: this.#folder,
      OBLETH_DATABASE_URL: this.#database,
      OBLETH_REDIS_URL: `redis://127.0.0.1:${this.redis.port}`,
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
      // A machine that runs other tests beside this one answers late; a cut wire is noticed at once all the same.
      OBLETH_REDIS_RESPONSE_TIMEOUT_MS: "3000",
      OBLETH_SHUTDOWN_GRACE_SECS: "2",
    });
    const adminUrl = `http://127.0.0.1:${admin}`;
    await answers(`${adminUrl}/ready`);
    const gateway = {
      process: child,
      proxyUrl: `http://127.0.0.1:${proxy}`,
      adminUrl,
      management: createClient({ baseUrl: adminUrl, token: ADMIN_TOKEN }),
    };
    this.gateways.push(gateway);
    return gateway;
  }

  /** Makes a model on the simulated backend and a tenant. @returns an API key of the tenant. */
  async prepare(made: { model: string; slots: number; tenant: string }): Promise<string> {
    const management = this.gateways[0]?.management;
    if (management === undefined) throw new Error("no gateway");
    const api_base = `${this.simulator.url}/v1`;
    await management.call("createModel", { body: { name: made.model, max_in_flight: made.slots, api_base } });
    const tenant = await management.call("createTenant", { body: { name: made.tenant } });
    const key = await management.call("createKey", { params: { id: tenant.data.id }, body: { name: "main" } });
    return key.data.secret;
  }

  async stop(): Promise<void> {
    for (const child of [...this.#children].reverse()) await stopChild(child);
    this.redis.close();
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

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50));
}
