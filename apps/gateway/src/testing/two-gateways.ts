/**
 * Two gateways on one Postgres and one Redis, as processes with a backend that can hold its calls: for tests of what
 * gateways do together. The settings are a fleet's defaults but for a quicker heartbeat.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Cluster, FairshareLive } from "@obleth/contract";
import { createTestDatabase, type TestDatabase } from "@obleth/db/testing";
import { GatewayProcess, removeBundle, until } from "./gateway-process";
import { HeldBackend } from "./held-backend";

const TOKEN = "t".repeat(40);
/** Tries of a trial that a change of mode disturbed. */
const MAX_TRIES = 8;
/** Looks at both gateways that fit into the allowance of a promise in seconds. */
const ALLOWED_LOOKS = 100;

interface Parts {
  readonly folder: string;
  readonly database: TestDatabase;
  readonly backend: HeldBackend;
  readonly first: GatewayProcess;
  readonly second: GatewayProcess;
}

export class TwoGateways {
  readonly backend: HeldBackend;
  readonly first: GatewayProcess;
  readonly second: GatewayProcess;
  readonly #parts: Parts;
  /** The latest changes of mode when the trial under way began. */
  #modesAtStart = "";

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.backend = parts.backend;
    this.first = parts.first;
    this.second = parts.second;
  }

  /** Both started at once on an empty database. They need not have found each other yet. */
  static async start(): Promise<TwoGateways> {
    const folder = mkdtempSync(path.join(tmpdir(), "obleth-two-gateways-"));
    const [backend, database] = await Promise.all([HeldBackend.start(), createTestDatabase({ migrated: false })]);
    const env = {
      OBLETH_DATABASE_URL: database.url,
      OBLETH_REDIS_URL: process.env.TEST_REDIS_URL ?? "",
      OBLETH_REDIS_PREFIX: path.basename(folder),
      OBLETH_ADMIN_TOKEN: TOKEN,
      OBLETH_SESSION_SECRET: "s".repeat(40),
      OBLETH_ENCRYPTION_KEY: "e".repeat(40),
      OBLETH_FAIRSHARE_REPLICA_HEARTBEAT_SECS: "1",
      OBLETH_FAIRSHARE_REPLICA_TTL_SECS: "2",
      OBLETH_SHUTDOWN_GRACE_SECS: "5",
    };
    const start = () => GatewayProcess.start(path.join(folder, "data"), env);
    const [first, second] = await Promise.all([start(), start()]);
    return new TwoGateways({ folder, database, backend, first, second });
  }

  get both(): readonly [GatewayProcess, GatewayProcess] {
    return [this.first, this.second];
  }

  /** What both wrote, for a test that failed. */
  get output(): string {
    return this.both.map((gateway) => gateway.output).join("\n---\n");
  }

  /** A call of the management API, at the first one unless another is given. The answer's body; throws when refused. */
  async call<Answer>(method: string, route: string, body?: unknown, gateway = this.first): Promise<Answer> {
    const response = await gateway.manage(method, route, body, TOKEN);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${route}: ${response.status} ${text}`);
    return (text === "" ? undefined : JSON.parse(text)) as Answer;
  }

  live(gateway: GatewayProcess): Promise<FairshareLive> {
    return this.call("GET", "/fairshare/live", undefined, gateway);
  }

  /** The live state as each shows it. */
  async states(): Promise<readonly [FairshareLive, FairshareLive]> {
    return await Promise.all([this.live(this.first), this.live(this.second)]);
  }

  /** What a promise in seconds is allowed beyond its time on this machine as busy as it is, ms: by how long looks take. */
  async allowanceMs(): Promise<number> {
    const startedMs = performance.now();
    for (let i = 0; i < 5; i++) await this.states();
    return (ALLOWED_LOOKS / 5) * (performance.now() - startedMs);
  }

  async untilShared(): Promise<void> {
    await until(async () => (await this.states()).every((state) => state.mode === "shared"));
  }

  /** A tenant of that name with one key. */
  async newKey(
    tenant: string,
  ): Promise<{ readonly tenantId: string; readonly keyId: string; readonly secret: string }> {
    const { id } = await this.call<{ id: string }>("POST", "/tenants", { name: tenant });
    const made = await this.call<{ secret: string; key: { id: string } }>("POST", `/tenants/${id}/keys`, {
      name: "main",
    });
    return { tenantId: id, keyId: made.key.id, secret: made.secret };
  }

  /**
   * Runs the trial, and again until both gateways shared slots all through it: on a machine that stands still for longer
   * than a gateway waits for Redis it falls back, and held slots are its own. What a disturbed try found is not judged.
   * Throws what an undisturbed one throws, and when there was none. `cleanUp` runs after a disturbed one.
   */
  async whileShared(trial: () => Promise<void>, cleanUp: () => Promise<void>): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      await this.untilShared();
      this.#modesAtStart = await this.#latestModes();
      const found = await trial().then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      if (!(await this.#isDisturbed())) {
        if (found !== undefined) throw found.error;
        return;
      }
      await cleanUp();
    }
    throw new Error(`in each of ${MAX_TRIES} tries a gateway lost touch with Redis`);
  }

  /** In a trial: waits for a condition, or throws as soon as the trial is disturbed. */
  async until(isDone: () => Promise<boolean>): Promise<void> {
    await until(async () => {
      if (await isDone()) return true;
      if (await this.#isDisturbed()) throw new Error("a gateway lost touch with Redis");
      return false;
    });
  }

  async stop(): Promise<void> {
    this.backend.letGo();
    await Promise.all(this.both.map((gateway) => gateway.stop()));
    this.backend.stop();
    removeBundle();
    rmSync(this.#parts.folder, { recursive: true, force: true });
    await this.#parts.database.drop();
  }

  async #isDisturbed(): Promise<boolean> {
    return (await this.#latestModes()) !== this.#modesAtStart;
  }

  /** The latest change of mode of each, as text. */
  async #latestModes(): Promise<string> {
    const pages = this.both.map((gateway) => this.call<Cluster>("GET", "/cluster", undefined, gateway));
    return JSON.stringify((await Promise.all(pages)).map((page) => page.mode_changes.at(-1)));
  }
}
