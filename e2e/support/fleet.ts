/**
 * Several gateways as an operator runs them: one Postgres, Redis behind wires that a test can cut, one for all and one for
 * each gateway, one simulated backend, and a dashboard at the first gateway. Every part is a process of its own.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type ApiClient, createClient } from "@obleth/contract/client";
import { allowanceMs } from "./allowance";
import { FakeClock } from "./fake-clock";
import { freePorts } from "./free-ports";
import type { ModeChange } from "./limit-trial";
import { endProgram, printed, runDashboard, runProgram, untilAnswers } from "./program";
import { type ArrangementName, RedisArrangement } from "./redis-arrangement";
import type { RedisProcess } from "./redis-process";
import { Simulator } from "./simulator";
import { type Login, ROOT } from "./stack";
import { Ways } from "./ways";
import type { Wire } from "./wire";

const ADMIN_TOKEN = "end-to-end-admin-token";
const SESSION_SECRET = "end-to-end-session-secret-of-some-length";
/** Of the gateways; short, so that a test of lost replicas is short. */
export const HEARTBEAT_SECS = 1;
export const REPLICA_TTL_SECS = 3;

export interface FleetOptions {
  readonly gateways: number;
  readonly hasDashboard?: boolean;
  /** One server unless said. */
  readonly redis?: ArrangementName;
  /** Gives Redis and each gateway a clock of its own; how far the first gateways' are ahead, seconds. */
  readonly clocks?: readonly number[];
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
  /** What only this one reaches Redis by, or its Sentinel. */
  readonly wire: Wire;
  readonly clock: FakeClock | undefined;
}

export class Fleet {
  readonly login: Login = { email: "admin@example.com", password: "end-to-end-password" };
  gateways: Gateway[] = [];
  dashboardUrl = "";
  readonly #children: ChildProcess[] = [];
  readonly #wires: Wire[] = [];
  #started = 0;
  /** Of gateways that were taken out. */
  readonly #past = new Map<string, readonly ModeChange[]>();

  private constructor(
    private readonly database: string,
    readonly arrangement: RedisArrangement,
    readonly simulator: Simulator,
    private readonly folder: string,
    /** Of Redis, with `clocks`. */
    readonly redisClock: FakeClock | undefined,
    private readonly options: FleetOptions,
  ) {}

  static async start(options: FleetOptions): Promise<Fleet> {
    const { gateways, hasDashboard = false, redis = "single", clocks } = options;
    const services = spawn(process.execPath, ["--import", "tsx", "scripts/services.ts"], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [postgres] = await printed(services, [/TEST_PG_URL=(\S+)/, /TEST_REDIS_URL=(\S+)/]);
    const [simPort, dashboardPort] = await freePorts(2);
    const folder = mkdtempSync(path.join(tmpdir(), "obleth-fleet-"));
    const redisClock = clocks === undefined ? undefined : new FakeClock(path.join(folder, "redis.clock"), 0);
    const arrangement = await RedisArrangement.start(redis, redisClock?.env);
    const simulator = new Simulator(`http://127.0.0.1:${simPort}`);
    const fleet = new Fleet(postgres ?? "", arrangement, simulator, folder, redisClock, options);
    fleet.#children.push(services);
    try {
      fleet.#run("apps/sim-backend/dist/main.js", {}, ["--port", String(simPort)]);
      await untilAnswers(`${simulator.url}/health`);
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

  /** Has the books, unless it failed over. */
  get redis(): RedisProcess {
    return this.arrangement.redis;
  }

  /** What all gateways reach Redis by. */
  get wire(): Wire {
    return this.arrangement.wire;
  }

  /** Starts so many more beside those that run. */
  async addGateways(count: number): Promise<Gateway[]> {
    const added = await Promise.all(Array.from({ length: count }, () => this.#startGateway()));
    this.gateways.push(...added);
    return added;
  }

  /** When which mode began on the machine's clock, by gateway, those taken out among them. A clock of its own must have stood. */
  async modeChanges(): Promise<Map<string, readonly ModeChange[]>> {
    const found = new Map(this.#past);
    for (const gateway of this.gateways) found.set(gateway.name, await modeChangesOf(gateway));
    return found;
  }

  /** Takes one out for good: told to leave, which it may take its time for, or killed. What it says of its modes till then is kept. */
  async takeOut(gateway: Gateway, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    this.gateways = this.gateways.filter((one) => one !== gateway);
    this.#past.set(gateway.name, await modeChangesOf(gateway));
    const child = gateway.process;
    child.kill(signal);
    while (child.exitCode === null && child.signalCode === null) {
      await modeChangesOf(gateway).then(
        (changes) => this.#past.set(gateway.name, changes),
        () => undefined,
      );
      await pause();
    }
  }

  async modes(): Promise<string[]> {
    const lives = this.gateways.map(({ management }) =>
      management.call("getFairshareLive", { query: { fields: "summary" } }),
    );
    return (await Promise.all(lives)).map(({ data }) => data.mode);
  }

  /** What a promise in seconds is allowed beyond its time on this machine as busy as it is, ms: by how long looks take. */
  allowanceMs(): Promise<number> {
    return allowanceMs(() => this.modes());
  }

  /** Begins to measure the ways to the gateways of the moment and to the backend. */
  measureWays(): Ways {
    return new Ways(() => ({
      gateways: new Map(this.gateways.map(({ name, adminUrl }) => [name, `${adminUrl}/health`])),
      backend: `${this.simulator.url}/health`,
    }));
  }

  async #startGateway(): Promise<Gateway> {
    const number = ++this.#started;
    const name = `gateway-${number}`;
    const [proxy, admin, metrics] = await freePorts(3);
    const wire = await this.arrangement.ownWire();
    this.#wires.push(wire);
    const clock = this.#clockFor(name, this.options.clocks?.[number - 1]);
    const child = this.#run("apps/gateway/dist/main.js", {
      OBLETH_DATA_DIR: path.join(this.folder, name),
      OBLETH_DATABASE_URL: this.database,
      ...this.arrangement.settings(wire.port),
      OBLETH_PROXY_LISTEN: `127.0.0.1:${proxy}`,
      OBLETH_ADMIN_LISTEN: `127.0.0.1:${admin}`,
      OBLETH_METRICS_LISTEN: `127.0.0.1:${metrics}`,
      OBLETH_ADMIN_TOKEN: ADMIN_TOKEN,
      OBLETH_SESSION_SECRET: SESSION_SECRET,
      OBLETH_ENCRYPTION_KEY: "end-to-end-encryption-key-of-some-length",
      OBLETH_ADMIN_EMAIL: this.login.email,
      OBLETH_ADMIN_PASSWORD: this.login.password,
      OBLETH_FAIRSHARE_REPLICA_HEARTBEAT_SECS: String(HEARTBEAT_SECS),
      OBLETH_FAIRSHARE_REPLICA_TTL_SECS: String(REPLICA_TTL_SECS),
      OBLETH_SHUTDOWN_GRACE_SECS: "5",
      ...clock?.env,
      ...this.options.env,
    });
    const adminUrl = `http://127.0.0.1:${admin}`;
    await untilAnswers(`${adminUrl}/ready`);
    return {
      name,
      process: child,
      proxyUrl: `http://127.0.0.1:${proxy}`,
      adminUrl,
      management: createClient({ baseUrl: adminUrl, token: ADMIN_TOKEN }),
      wire,
      clock,
    };
  }

  #clockFor(name: string, offsetSecs = 0): FakeClock | undefined {
    if (this.options.clocks === undefined) return undefined;
    return new FakeClock(path.join(this.folder, `${name}.clock`), offsetSecs);
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
    for (const child of [...this.#children].reverse()) await endProgram(child);
    for (const wire of this.#wires) wire.close();
    await this.arrangement.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #startDashboard(port: number): Promise<void> {
    this.dashboardUrl = `http://127.0.0.1:${port}`;
    this.#children.push(runDashboard(port, this.gateways[0]?.adminUrl ?? "", SESSION_SECRET));
    await untilAnswers(`${this.dashboardUrl}/login`);
  }

  #run(program: string, env: Record<string, string>, args: readonly string[] = []): ChildProcess {
    const child = runProgram(program, env, args);
    this.#children.push(child);
    return child;
  }
}

async function modeChangesOf({ management, clock }: Gateway): Promise<ModeChange[]> {
  const { data } = await management.call("getCluster", {});
  return data.mode_changes.map(({ ts_ms, mode }) => ({ atMs: ts_ms - (clock?.offsetMs ?? 0), mode }));
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50));
}
