/** The gateway's life as an operator sees it: processes, signals, files and ports. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { connect as connectSocket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { connect } from "@obleth/db";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFailed } from "vitest";
import { GatewayProcess, removeBundle, until } from "./testing/gateway-process";
import { HeldBackend } from "./testing/held-backend";

let home: string;
let folder: string;
let backend: HeldBackend;
let processes: GatewayProcess[];

/** A data folder after its first run is made once; most tests begin with a copy of it, which is much quicker. */
beforeAll(async () => {
  home = mkdtempSync(path.join(tmpdir(), "obleth-process-"));
  // Else root's database user could not enter, and the database would lie elsewhere and stay there.
  chmodSync(home, 0o755);
  backend = await HeldBackend.start();
  const first = await GatewayProcess.start(path.join(home, "template"), ENVIRONMENT());
  await first.stop();
}, 120_000);

afterAll(() => {
  backend.stop();
  removeBundle();
  rmSync(home, { recursive: true, force: true });
});

beforeEach(() => {
  folder = mkdtempSync(path.join(home, "test-"));
  chmodSync(folder, 0o755);
  backend.isOpen = true;
  processes = [];
  onTestFailed(() => console.log(processes.map((one) => one.output).join("\n---\n")));
});

afterEach(async () => {
  backend.letGo();
  await Promise.all(processes.map((one) => one.stop()));
  rmSync(folder, { recursive: true, force: true });
});

const ENVIRONMENT = () => ({ OBLETH_SIM_BACKEND_URL: backend.url, OBLETH_SHUTDOWN_GRACE_SECS: "10" });

/** A gateway on an empty data folder. */
async function startFresh(env: Record<string, string> = {}): Promise<GatewayProcess> {
  const gateway = await GatewayProcess.start(path.join(folder, "data"), { ...ENVIRONMENT(), ...env });
  processes.push(gateway);
  return gateway;
}

/** A gateway that has run before; the second one in a test finds what the first one left. */
async function start(env: Record<string, string> = {}): Promise<GatewayProcess> {
  const data = path.join(folder, "data");
  // -a keeps the database's files with their owner.
  if (!existsSync(data)) execFileSync("cp", ["-a", path.join(home, "template"), data]);
  return await startFresh(env);
}

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

async function usageRows(gateway: GatewayProcess): Promise<number> {
  const { port, dir } = gateway.run.database ?? { port: 0, dir: "" };
  const password = readFileSync(path.join(dir, "password"), "utf8").trim();
  const sql = connect(`postgres://obleth:${password}@127.0.0.1:${port}/obleth`, { max: 1 });
  const [row] = await sql<{ n: number }[]>`select count(*)::int as n from usage`;
  await sql.end();
  return row?.n ?? 0;
}

describe("a first run", () => {
  it("serves a request, keeps secrets to their owner, stops with 0 and finds everything again", async () => {
    const first = await startFresh();
    const { chatbot = "", "api-batch": batch = "" } = first.sampleKeys;
    expect((await first.chat(chatbot)).status).toBe(200);
    expect((await first.chat(batch)).status).toBe(200);
    for (const name of [
      "admin-token",
      "session-secret",
      "encryption-key",
      "admin-login.json",
      "sample-keys.json",
      "run.json",
    ]) {
      expect(statSync(path.join(first.dataDir, name)).mode & 0o777, name).toBe(0o600);
    }
    const login = JSON.parse(first.file("admin-login.json")) as { email: string; password: string };
    const signedIn = await fetch(`${first.run.admin}/api/v1/auth/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(login),
    });
    expect(signedIn.status).toBe(200);
    const databasePid = first.run.database?.pid ?? 0;
    const token = first.file("admin-token");
    expect(await first.stop()).toBe(0);
    expect(isAlive(databasePid)).toBe(false);
    expect(existsSync(path.join(first.dataDir, "run.json"))).toBe(false);
    for (const secret of [chatbot, batch, token, login.password]) expect(first.output).not.toContain(secret);

    const second = await startFresh();
    expect(second.file("admin-token")).toBe(token);
    expect((await second.chat(chatbot)).status).toBe(200);
    await until(async () => (await usageRows(second)) >= 3);
  });

  it("makes no sample when asked not to, but somebody who can sign in", async () => {
    const gateway = await startFresh({ OBLETH_SEED: "none" });
    expect(existsSync(path.join(gateway.dataDir, "sample-keys.json"))).toBe(false);
    expect(existsSync(path.join(gateway.dataDir, "admin-login.json"))).toBe(true);
    const tenants = (await (await gateway.manage("GET", "/tenants")).json()) as { total: number };
    expect(tenants.total).toBe(0);
  });
});

describe("a signal to stop", () => {
  it("lets what runs finish, tells those who wait to come back, and loses no usage", async () => {
    const gateway = await start();
    const { chatbot = "" } = gateway.sampleKeys;
    backend.isOpen = false;
    const running = Array.from({ length: 8 }, () => gateway.chat(chatbot));
    await until(() => backend.held.length === 8);
    const waiting = Array.from({ length: 5 }, () => gateway.chat(chatbot));
    await until(async () => (await queued(gateway)) === 5);
    gateway.signal("SIGTERM");
    for (const response of await Promise.all(waiting)) {
      expect(response.status).toBe(503);
      expect(response.headers.get("retry-after")).toBe("5");
      expect(await response.json()).toMatchObject({ error: { code: "shutting_down" } });
    }
    expect((await fetch(`${gateway.run.admin}/ready`)).status).toBe(503);
    await expect(gateway.chat(chatbot)).rejects.toThrow();
    backend.letGo();
    expect((await Promise.all(running)).map((response) => response.status)).toEqual(Array(8).fill(200));
    expect(await gateway.ended()).toBe(0);
    backend.isOpen = true;
    expect(await usageRows(await start())).toBe(13);
  });

  it("is not held up by idle connections, nor by an upload that never ends", async () => {
    const gateway = await start({ OBLETH_SHUTDOWN_GRACE_SECS: "5" });
    const { hostname, port } = new URL(gateway.run.proxy);
    const sockets = Array.from({ length: 50 }, () => connectSocket(Number(port), hostname).on("error", () => {}));
    const closed = sockets.map((socket) => once(socket, "close"));
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    const [uploading, ...idle] = sockets;
    for (const socket of idle) socket.write("GET /health HTTP/1.1\r\nhost: g\r\n\r\n");
    await Promise.all(idle.map((socket) => once(socket, "data")));
    const key = gateway.sampleKeys.chatbot ?? "";
    uploading?.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: g\r\nauthorization: Bearer ${key}\r\ncontent-length: 999\r\n\r\n{`,
    );
    const signalledAt = performance.now();
    gateway.signal("SIGTERM");
    await Promise.all(closed.slice(1));
    expect(await gateway.ended()).toBe(0);
    uploading?.resume();
    await closed[0];
    expect(performance.now() - signalledAt).toBeLessThan(15_000);
  });

  it("does not wait longer than the grace for an answer that never ends", async () => {
    const gateway = await start({ OBLETH_SHUTDOWN_GRACE_SECS: "1" });
    backend.isOpen = false;
    const stuck = gateway.chat(gateway.sampleKeys.chatbot ?? "");
    await until(() => backend.held.length === 1);
    gateway.signal("SIGTERM");
    expect((await stuck).status).toBe(503);
    expect(await gateway.ended()).toBe(0);
  });

  it("given twice leaves at once, and stops the database", async () => {
    const gateway = await start({ OBLETH_SHUTDOWN_GRACE_SECS: "300" });
    const databasePid = gateway.run.database?.pid ?? 0;
    backend.isOpen = false;
    const stuck = gateway.chat(gateway.sampleKeys.chatbot ?? "").catch(() => undefined);
    await until(() => backend.held.length === 1);
    gateway.signal("SIGTERM");
    await gateway.untilWritten('"shutdown.started"');
    gateway.signal("SIGINT");
    expect(await gateway.ended()).toBe(1);
    await stuck;
    await until(() => !isAlive(databasePid));
  });

  it("while it still waits for its database ends the start, with 0", async () => {
    const secret = "s".repeat(40);
    const gateway = GatewayProcess.spawn(path.join(folder, "external"), {
      OBLETH_DATABASE_URL: "postgres://nobody@127.0.0.1:9/none",
      OBLETH_ADMIN_TOKEN: secret,
      OBLETH_SESSION_SECRET: secret,
      OBLETH_ENCRYPTION_KEY: secret,
    });
    processes.push(gateway);
    await gateway.untilWritten('"database.waiting"');
    gateway.signal("SIGTERM");
    expect(await gateway.ended()).toBe(0);
  });
});

describe("a killed gateway", () => {
  it("leaves nothing that hinders the next one, and what was committed is there", async () => {
    const first = await start();
    const orphan = first.run.database?.pid ?? 0;
    await first.manage("POST", "/tenants", { name: "kept" });
    first.signal("SIGKILL");
    await first.ended();
    expect(isAlive(orphan)).toBe(true);
    const second = await start();
    expect(second.output).toContain('"database.left_over_stopped"');
    expect((await second.manage("GET", "/tenants?q=kept")).status).toBe(200);
    expect(await (await second.manage("GET", "/tenants?q=kept")).json()).toMatchObject({ total: 1 });
    expect((await second.chat(second.sampleKeys.chatbot ?? "")).status).toBe(200);
  });
});

describe("a gateway that cannot start says why in one line", () => {
  it("another one has the data folder", async () => {
    const first = await start();
    const second = GatewayProcess.spawn(first.dataDir);
    processes.push(second);
    expect(await second.ended()).toBe(1);
    expect(lastLine(second)).toMatch(/^obleth cannot start: another gateway \(process \d+\) uses the data folder /);
    expect((await first.chat(first.sampleKeys.chatbot ?? "")).status).toBe(200);
  });

  it("its port is in use; nothing of it is left running", async () => {
    const first = await start();
    const second = GatewayProcess.spawn(path.join(folder, "other"), {
      OBLETH_PROXY_LISTEN: `127.0.0.1:${new URL(first.run.proxy).port}`,
    });
    processes.push(second);
    expect(await second.ended()).toBe(1);
    expect(lastLine(second)).toMatch(
      /^obleth cannot start: port \d+ is in use; stop what uses it or set OBLETH_PROXY_LISTEN/,
    );
    expect(existsSync(path.join(folder, "other", "postgres", "data", "postmaster.pid"))).toBe(false);
    expect(existsSync(path.join(folder, "other", "gateway.lock"))).toBe(false);
  });

  it("settings cannot be used: every one of them, secrets hidden", async () => {
    const gateway = GatewayProcess.spawn(path.join(folder, "data"), {
      OBLETH_FAIL_OPEN: "perhaps",
      OBLETH_ADMIN_TOKEN: "canary",
      OBLETH_GLOBAL_MAX_IN_FLIGHT: "-1",
    });
    processes.push(gateway);
    expect(await gateway.ended()).toBe(1);
    expect(gateway.output).toMatch(/3 setting\(s\)/);
    expect(gateway.output).not.toContain("canary");
  });
});

async function queued(gateway: GatewayProcess): Promise<number> {
  const live = (await (await gateway.manage("GET", "/fairshare/live?fields=summary")).json()) as { queued: number };
  return live.queued;
}

/** The last that it says in words. Its log goes another way, so that either may come in first. */
const lastLine = (gateway: GatewayProcess) =>
  gateway.output
    .trimEnd()
    .split("\n")
    .findLast((line) => !line.startsWith("{"));
