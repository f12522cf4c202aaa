/** A stop in order while Redis takes everything and answers nothing, and Postgres has just fallen silent too. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createTestDatabase, type TestDatabase } from "@obleth/db/testing";
import { afterAll, beforeAll, expect, it, onTestFailed } from "vitest";
import { GatewayProcess, removeBundle, until } from "./testing/gateway-process";
import { HeldBackend } from "./testing/held-backend";

const SECRET = "s".repeat(40);
const GRACE_SECS = 10;

let folder: string;
let backend: HeldBackend;
let database: TestDatabase;
let redis: Server;
let wire: Server;
let gateway: GatewayProcess | undefined;
/** Once true, nothing crosses the wire to Postgres any more, and nothing is refused. */
let isSilent = false;
const sockets: Socket[] = [];

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "obleth-stop-alone-"));
  [backend, database] = await Promise.all([HeldBackend.start(), createTestDatabase()]);
  redis = await listening((socket) => void socket.resume());
  const { hostname, port } = new URL(database.url);
  wire = await listening((near) => {
    const far = connect(Number(port), hostname).on("error", () => near.destroy());
    sockets.push(far);
    near.on("data", (bytes) => isSilent || far.write(bytes)).on("close", () => far.destroy());
    far.on("data", (bytes) => isSilent || near.write(bytes)).on("close", () => near.destroy());
  });
}, 120_000);

afterAll(async () => {
  if (gateway?.isRunning === true) gateway.signal("SIGKILL");
  for (const socket of sockets) socket.destroy();
  redis.close();
  wire.close();
  backend.stop();
  removeBundle();
  rmSync(folder, { recursive: true, force: true });
  await database.drop();
}, 60_000);

async function listening(onSocket: (socket: Socket) => void): Promise<Server> {
  const server = createServer((socket) => {
    sockets.push(socket.on("error", () => {}));
    onSocket(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;

it("ends with 0 within the grace, and the running answer reaches its client", { timeout: 120_000 }, async () => {
  const throughWire = new URL(database.url);
  throughWire.port = String(portOf(wire));
  const started = await GatewayProcess.start(path.join(folder, "data"), {
    OBLETH_DATABASE_URL: throughWire.href,
    OBLETH_REDIS_URL: `redis://127.0.0.1:${portOf(redis)}`,
    OBLETH_ADMIN_TOKEN: SECRET,
    OBLETH_SESSION_SECRET: SECRET,
    OBLETH_ENCRYPTION_KEY: SECRET,
    OBLETH_SHUTDOWN_GRACE_SECS: String(GRACE_SECS),
  });
  gateway = started;
  onTestFailed(() => console.log(started.output));
  const made = async (route: string, body: object) =>
    (await (await started.manage("POST", route, body, SECRET)).json()) as { id: string; secret: string };
  await made("/models", { name: "m", max_in_flight: 1, api_base: `${backend.url}/v1` });
  const { id } = await made("/tenants", { name: "one" });
  const { secret } = await made(`/tenants/${id}/keys`, { name: "key" });
  backend.isOpen = false;
  const calls = [0, 1].map(() => started.chat(secret, { model: "m" }));
  await until(() => backend.held.length === 1);
  await until(async () => {
    const live = await started.manage("GET", "/fairshare/live?fields=summary", undefined, SECRET);
    return ((await live.json()) as { queued: number }).queued === 1;
  });
  isSilent = true;
  const signalledMs = performance.now();
  started.signal("SIGTERM");
  await started.untilWritten('"shutdown.started"');
  backend.letGo();
  const statuses = await Promise.all(calls.map(async (call) => (await call).status));
  expect(statuses.sort()).toEqual([200, 503]);
  expect(await started.ended()).toBe(0);
  expect(performance.now() - signalledMs).toBeLessThan(GRACE_SECS * 1000 + 15_000);
});
