/**
 * A real Postgres that the product starts, watches and stops. It listens on loopback with a password. It is put in a
 * process group of its own, so that Ctrl-C in a terminal reaches the gateway alone, which stops it last. A server that
 * outlived a killed gateway is stopped and replaced: its data is safe and the new one is ours to watch.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import postgres from "postgres";
import { findBinaries, type PostgresBinaries } from "./binaries";
import { ensureCluster, logFileOf, placeCluster, SUPERUSER } from "./cluster-folder";
import { EmbeddedDatabaseError, systemCode } from "./embedded-error";
import { STOP_DEADLINE_MS, stopLeftOver } from "./left-over";
import { canBind, freePort } from "./ports";
import { makeFolder, type ServerUser, SYSTEM_STATE_DIR, serverUser } from "./server-user";

export interface EmbeddedOptions {
  /** The product's data folder; the database lies below it where the server can reach it. */
  readonly dataDir: string;
  /** Loopback port; 0 takes a free one. */
  readonly port?: number;
  /** False gives up crash safety for speed: tests only. */
  readonly isDurable?: boolean;
  /** Told of what happens: dot-form event name and details without secrets. */
  readonly onEvent?: (event: string, details: Record<string, unknown>) => void;
  /** Where to go when `dataDir` cannot be reached; replaced in tests. */
  readonly stateDir?: string;
}

export interface EmbeddedPostgres {
  /** With the password in it; never log it. */
  readonly url: string;
  readonly port: number;
  readonly dir: string;
  /** The server's process at present. */
  pid(): number;
  /** Ends all sessions and waits until the server is gone. Later calls wait for the same end. */
  stop(): Promise<void>;
  /** Tells the server to stop and does not wait; for leaving at once. */
  stopWithoutWaiting(): void;
}

const DATABASE = "obleth";
/** Between two tries to connect while it starts, which takes some hundred ms. */
const POLL_MS = 40;
/** A server that replays a long write-ahead log after a crash is still starting. */
const START_DEADLINE_MS = 120_000;
/** Longest pause before a server that keeps dying is started again. */
const MAX_RESTART_DELAY_MS = 30_000;
/** A free port may be taken by someone else before the server binds it. */
const PORT_ATTEMPTS = 5;

/**
 * Starts the database of `dataDir`, making it first if need be, and returns when it answers.
 * @throws EmbeddedDatabaseError in one line that names what to do.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const user = serverUser();
  const stateDir = options.stateDir ?? SYSTEM_STATE_DIR;
  // Root's umask may close the folder to the server's user.
  makeFolder(options.dataDir, 0o755);
  const { dir, isElsewhere } = placeCluster(path.resolve(options.dataDir), user, stateDir);
  const onEvent = options.onEvent ?? (() => {});
  if (isElsewhere)
    onEvent("database.placed_elsewhere", { dir, because: "the server's user cannot enter the data folder" });
  await stopLeftOver(dir, onEvent);
  const binaries = findBinaries(user, stateDir);
  const isDurable = options.isDurable ?? true;
  const password = ensureCluster({ dir, user, binaries, isDurable });
  const server = new Server({ dir, user, binaries, isDurable, password, onEvent });
  await server.start(options.port ?? 0);
  return server;
}

interface ServerParts {
  readonly dir: string;
  readonly user: ServerUser | null;
  readonly binaries: PostgresBinaries;
  readonly isDurable: boolean;
  readonly password: string;
  readonly onEvent: (event: string, details: Record<string, unknown>) => void;
}

class Server implements EmbeddedPostgres {
  #port = 0;
  #child: ChildProcess | undefined;
  #isStopping = false;
  #stopped: Promise<void> | undefined;
  #restarts = 0;
  readonly #parts: ServerParts;

  constructor(parts: ServerParts) {
    this.#parts = parts;
  }

  get url(): string {
    return this.#urlOf(DATABASE);
  }

  get port(): number {
    return this.#port;
  }

  get dir(): string {
    return this.#parts.dir;
  }

  pid(): number {
    return this.#child?.pid ?? 0;
  }

  async start(wantedPort: number): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      this.#port = wantedPort === 0 ? await freePort() : wantedPort;
      if (wantedPort !== 0 && !(await canBind(wantedPort))) throw portTaken(wantedPort);
      try {
        await this.#run();
        await this.#ensureDatabase();
        return;
      } catch (error) {
        await this.stop();
        const isRace = wantedPort === 0 && attempt < PORT_ATTEMPTS && !(await canBind(this.#port));
        if (!isRace) throw error;
        this.#isStopping = false;
        this.#stopped = undefined;
      }
    }
  }

  stop(): Promise<void> {
    this.#isStopping = true;
    this.#stopped ??= this.#stopChild();
    return this.#stopped;
  }

  stopWithoutWaiting(): void {
    this.#isStopping = true;
    this.#child?.kill("SIGINT");
  }

  async #run(): Promise<void> {
    const child = this.#spawn();
    this.#child = child;
    const failed = once(child, "error").then(([error]) => {
      throw new EmbeddedDatabaseError(`cannot run the database server (${systemCode(error)})`, { cause: error });
    });
    const exited = once(child, "exit").then(() => {
      throw new EmbeddedDatabaseError(`the database server stopped while starting: ${this.#lastComplaint()}`);
    });
    const givesUp = new AbortController();
    failed.catch(() => givesUp.abort());
    exited.catch(() => givesUp.abort());
    await Promise.race([this.#untilItAnswers(givesUp.signal), failed, exited]);
    child.once("exit", () => this.#onUnexpectedExit());
  }

  #spawn(): ChildProcess {
    const { dir, user, binaries, isDurable } = this.#parts;
    const settings = {
      listen_addresses: "127.0.0.1",
      unix_socket_directories: "",
      timezone: "UTC",
      log_timezone: "UTC",
      cluster_name: "obleth",
      ...(isDurable ? {} : { fsync: "off", synchronous_commit: "off", full_page_writes: "off" }),
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const log = openSync(logFileOf(dir), "a", 0o600);
    const child = spawn(binaries.postgres, ["-D", path.join(dir, "data"), "-p", String(this.#port), ...flags], {
      ...(user ?? {}),
      cwd: dir,
      detached: true,
      env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
      stdio: ["ignore", log, log],
    });
    closeSync(log);
    child.unref();
    return child;
  }

  /** Keeps the database there for a gateway that outlives a crash of it; the gateway's pool connects again by itself. */
  #onUnexpectedExit(): void {
    if (this.#isStopping) return;
    const delayMs = Math.min(MAX_RESTART_DELAY_MS, 500 * 2 ** this.#restarts++);
    this.#parts.onEvent("database.exited", { complaint: this.#lastComplaint(), restart_in_ms: delayMs });
    setTimeout(() => void this.#restart(), delayMs).unref();
  }

  async #restart(): Promise<void> {
    if (this.#isStopping) return;
    try {
      await this.#run();
      this.#restarts = 0;
      this.#parts.onEvent("database.restarted", { port: this.#port });
    } catch {
      this.#onUnexpectedExit();
    }
  }

  async #untilItAnswers(givesUp: AbortSignal): Promise<void> {
    const deadline = performance.now() + START_DEADLINE_MS;
    while (!givesUp.aborted) {
      if (await this.#answers()) return;
      if (performance.now() > deadline) throw new EmbeddedDatabaseError("the database server does not answer");
      await delay(POLL_MS);
    }
  }

  async #answers(): Promise<boolean> {
    const sql = this.#connect("postgres");
    try {
      await sql`select 1`;
      return true;
    } catch {
      return false;
    } finally {
      await sql.end({ timeout: 1 });
    }
  }

  async #ensureDatabase(): Promise<void> {
    const sql = this.#connect("postgres");
    try {
      const found = await sql`select 1 from pg_database where datname = ${DATABASE}`;
      if (found.length === 0) await sql`create database ${sql(DATABASE)}`;
    } finally {
      await sql.end({ timeout: 1 });
    }
  }

  #connect(database: string) {
    return postgres(this.#urlOf(database), { max: 1, connect_timeout: 5, onnotice: () => {} });
  }

  #urlOf(database: string): string {
    return `postgres://${SUPERUSER}:${this.#parts.password}@127.0.0.1:${this.#port}/${database}`;
  }

  async #stopChild(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.ref();
    const exited = once(child, "exit");
    child.kill("SIGINT");
    const hurry = setTimeout(() => child.kill("SIGQUIT"), STOP_DEADLINE_MS);
    await exited;
    clearTimeout(hurry);
  }

  #lastComplaint(): string {
    const lines = readFileSync(logFileOf(this.#parts.dir), "utf8").slice(-8192).split("\n");
    const complaint = lines.findLast((line) => /FATAL|PANIC|ERROR/.test(line)) ?? lines.findLast((line) => line !== "");
    return complaint?.replace(/^.*?(FATAL|PANIC|ERROR):\s*/, "") ?? "no reason in its log";
  }
}

function portTaken(port: number): EmbeddedDatabaseError {
  return new EmbeddedDatabaseError(
    `port ${port} of the embedded database is in use; set OBLETH_EMBEDDED_POSTGRES_PORT to another, or to 0 for a free one`,
  );
}
