/** The built dashboard on a management API made of fixtures: as many pools and tenants as a test wants, no gateway. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { freePorts } from "./free-ports";
import { ROOT } from "./stack";

export interface FixtureShape {
  readonly pools: number;
  readonly tenants: number;
  /** Seconds from one change of the live state to the next; 3 unless said. */
  readonly everySecs?: number;
}

const START_MS = 60_000;

export class FixtureDashboard {
  private api: ChildProcess | undefined;

  private constructor(
    readonly url: string,
    private readonly apiPort: number,
    private readonly dashboard: ChildProcess,
    private readonly shape: FixtureShape,
  ) {}

  static async start(shape: FixtureShape): Promise<FixtureDashboard> {
    const [apiPort = 0, port = 0] = await freePorts(2);
    const server = path.join(ROOT, "apps/dashboard/.next/standalone/apps/dashboard/server.js");
    const dashboard = spawn(process.execPath, [server], {
      stdio: "ignore",
      env: {
        ...process.env,
        HOSTNAME: "127.0.0.1",
        PORT: String(port),
        OBLETH_MANAGEMENT_URL: `http://127.0.0.1:${apiPort}`,
        OBLETH_SESSION_SECRET: "end-to-end-session-secret-of-40-letters-",
      },
    });
    const fixture = new FixtureDashboard(`http://127.0.0.1:${port}`, apiPort, dashboard, shape);
    try {
      await fixture.startApi();
      await untilAnswers(`${fixture.url}/login`);
    } catch (error) {
      await fixture.stop();
      throw error;
    }
    return fixture;
  }

  /** Starts the fixtures' API, again after `stopApi`. */
  async startApi(): Promise<void> {
    const { pools, tenants, everySecs = 3 } = this.shape;
    const args = ["--import", "tsx", "apps/dashboard/test/fixture-server.ts", String(pools), String(tenants)];
    this.api = spawn(process.execPath, args, {
      cwd: ROOT,
      stdio: "ignore",
      env: { ...process.env, FIXTURE_PORT: String(this.apiPort), FIXTURE_EVERY_SECS: String(everySecs) },
    });
    await untilAnswers(`http://127.0.0.1:${this.apiPort}/api/v1/auth/state`);
  }

  async stopApi(): Promise<void> {
    await end(this.api);
  }

  async stop(): Promise<void> {
    await Promise.all([end(this.api), end(this.dashboard)]);
  }
}

async function end(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

async function untilAnswers(url: string): Promise<void> {
  const deadline = Date.now() + START_MS;
  for (;;) {
    const isUp = await fetch(url).then(
      () => true,
      () => false,
    );
    if (isUp) return;
    if (Date.now() > deadline) throw new Error(`${url} does not answer`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
