/**
 * One gateway with its own database, a simulated backend and a dashboard, each a process of its own: the gateway can be
 * killed as a crash does and started again at the same addresses, while the dashboard stays.
 */
import type { ChildProcess } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type ApiClient, createClient } from "@obleth/contract/client";
import { freePorts } from "./free-ports";
import { endProgram, runDashboard, runProgram, untilAnswers } from "./program";
import type { Login } from "./stack";

const ADMIN_TOKEN = "end-to-end-admin-token";
const SESSION_SECRET = "end-to-end-session-secret-of-some-length";

export class LoneGateway {
  readonly login: Login = { email: "admin@example.com", password: "end-to-end-password" };
  #gateway: ChildProcess | undefined;
  readonly #others: ChildProcess[] = [];

  private constructor(
    private readonly dataDir: string,
    private readonly ports: {
      readonly proxy: number;
      readonly admin: number;
      readonly metrics: number;
      readonly dashboard: number;
      readonly backend: number;
    },
  ) {}

  static async start(): Promise<LoneGateway> {
    const [proxy = 0, admin = 0, metrics = 0, dashboard = 0, backend = 0] = await freePorts(5);
    const dataDir = mkdtempSync(path.join(tmpdir(), "obleth-lone-"));
    // The database's user enters it too.
    chmodSync(dataDir, 0o755);
    const lone = new LoneGateway(dataDir, { proxy, admin, metrics, dashboard, backend });
    try {
      lone.#others.push(runProgram("apps/sim-backend/dist/main.js", {}, ["--port", String(backend)]));
      await lone.startGateway();
      lone.#others.push(runDashboard(dashboard, lone.urls.admin, SESSION_SECRET));
      await untilAnswers(`${lone.urls.dashboard}/login`);
      return lone;
    } catch (error) {
      await lone.stop();
      throw error;
    }
  }

  get urls(): { readonly proxy: string; readonly admin: string; readonly dashboard: string } {
    const url = (port: number) => `http://127.0.0.1:${port}`;
    return { proxy: url(this.ports.proxy), admin: url(this.ports.admin), dashboard: url(this.ports.dashboard) };
  }

  get management(): ApiClient {
    return createClient({ baseUrl: this.urls.admin, token: ADMIN_TOKEN });
  }

  /** Starts it, again after `killGateway`, and waits until it is ready. */
  async startGateway(): Promise<void> {
    const { proxy, admin, metrics, backend } = this.ports;
    this.#gateway = runProgram("apps/gateway/dist/main.js", {
      OBLETH_DATA_DIR: this.dataDir,
      OBLETH_PROXY_LISTEN: `127.0.0.1:${proxy}`,
      OBLETH_ADMIN_LISTEN: `127.0.0.1:${admin}`,
      OBLETH_METRICS_LISTEN: `127.0.0.1:${metrics}`,
      OBLETH_SIM_BACKEND_URL: `http://127.0.0.1:${backend}`,
      OBLETH_ADMIN_TOKEN: ADMIN_TOKEN,
      OBLETH_SESSION_SECRET: SESSION_SECRET,
      OBLETH_ADMIN_EMAIL: this.login.email,
      OBLETH_ADMIN_PASSWORD: this.login.password,
      OBLETH_SHUTDOWN_GRACE_SECS: "2",
    });
    await untilAnswers(`${this.urls.admin}/ready`);
  }

  /** As a crash does: nothing is finished, told or put away. */
  async killGateway(): Promise<void> {
    await endProgram(this.#gateway, "SIGKILL");
  }

  async stop(): Promise<void> {
    await endProgram(this.#gateway);
    for (const child of this.#others) await endProgram(child);
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}
