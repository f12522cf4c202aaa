/**
 * Connections that break at the worst moment, ten thousand of them, against a process that ends at the first error nobody
 * handles. Those it makes itself to backends break as well, in TLS too.
 */
import { once } from "node:events";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from "vitest";
import { GatewayProcess, removeBundle, until } from "./testing/gateway-process";

const CANARY = "canary-in-a-body";
const EACH = 1_500;
const AT_ONCE = 50;

let home: string;
let gateway: GatewayProcess;
let secret: string;
/** Does with a connection what the test under way wants. */
let treat = (socket: Socket): void => void socket.resetAndDestroy();
let backend: Server;
let idleSockets = 0;

beforeAll(async () => {
  home = mkdtempSync(path.join(tmpdir(), "obleth-broken-"));
  // Else root's database user could not enter.
  chmodSync(home, 0o755);
  backend = createServer((socket) => {
    socket.on("error", () => {});
    treat(socket);
  });
  backend.listen(0, "127.0.0.1");
  await once(backend, "listening");
  gateway = await GatewayProcess.start(path.join(home, "data"), {
    NODE_OPTIONS: "--unhandled-rejections=strict",
    OBLETH_SHUTDOWN_GRACE_SECS: "2",
  });
  secret = Object.values(gateway.sampleKeys)[0] ?? "";
  for (const scheme of ["http", "https"]) {
    const model = { name: `breaking-${scheme}`, api_base: `${scheme}://127.0.0.1:${port()}/v1`, max_in_flight: 64 };
    expect((await gateway.manage("POST", "/models", model)).ok).toBe(true);
  }
  await call("breaking-http");
  idleSockets = openSockets();
}, 120_000);

afterAll(async () => {
  await gateway.stop();
  backend.close();
  removeBundle();
  rmSync(home, { recursive: true, force: true });
}, 60_000);

function port(): number {
  const address = backend.address();
  return address !== null && typeof address === "object" ? address.port : 0;
}

function body(bytes: number): string {
  return JSON.stringify({ model: "breaking-http", messages: [{ role: "user", content: CANARY + "x".repeat(bytes) }] });
}

function upload(text: string, { key = secret, length = Buffer.byteLength(text) } = {}): string {
  return [
    "POST /v1/chat/completions HTTP/1.1",
    "host: gateway",
    `authorization: Bearer ${key}`,
    "content-type: application/json",
    `content-length: ${length}`,
    "",
    text,
  ].join("\r\n");
}

function call(model: string, bytes = 10): Promise<Response> {
  return gateway.chat(secret, { model, messages: [{ role: "user", content: CANARY + "x".repeat(bytes) }] });
}

/** Sockets that the process has open, listening ones included. */
function openSockets(): number {
  const folder = `/proc/${gateway.run.pid}/fd`;
  return readdirSync(folder).filter((fd) => {
    try {
      return readlinkSync(path.join(folder, fd)).startsWith("socket:");
    } catch {
      return false;
    }
  }).length;
}

/** This test's own management calls keep a few. */
const hasNoClients = (): boolean => openSockets() <= idleSockets + 10;

/** None to the backend; those that are closed and only wait for late packets (06) do not count. */
function hasNoBackends(): boolean {
  const rows = readFileSync("/proc/net/tcp", "utf8").split("\n").slice(1);
  const wanted = port().toString(16).toUpperCase().padStart(4, "0");
  return rows.every((row) => {
    const [, , remote = "", state] = row.trim().split(/\s+/);
    return !remote.endsWith(`:${wanted}`) || state === "06";
  });
}

/** Runs it so often, so many at once. */
async function times(count: number, run: () => Promise<unknown>): Promise<void> {
  let left = count;
  const worker = async (): Promise<void> => {
    while (left-- > 0) await run();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

function address(): { host: string; port: number } {
  const { hostname, port: at } = new URL(gateway.run.proxy);
  return { host: hostname, port: Number(at) };
}

/** Sends these bytes, waits for an answer where there is to be one, and resets. */
async function broken(bytes: string, isAnswered: boolean): Promise<void> {
  const socket = connect(address());
  socket.on("error", () => {});
  await once(socket, "connect");
  const said = isAnswered ? Promise.race([once(socket, "data"), once(socket, "close")]) : undefined;
  await new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
  await said?.catch(() => {});
  socket.resetAndDestroy();
}

/** The process as it was: alive, nothing taken, nothing open, nothing said that nobody expected. */
async function expectUnharmed(linesBefore: number, mostLines: number, hasClosed: () => boolean): Promise<void> {
  await until(async () => {
    const live = await gateway.manage("GET", "/fairshare/live?fields=summary");
    const { in_flight, queued } = (await live.json()) as { in_flight: number; queued: number };
    return in_flight === 0 && queued === 0;
  });
  await until(hasClosed);
  expect(gateway.isRunning).toBe(true);
  expect(gateway.output).not.toMatch(/uncaught|unhandled|"level":"(?:error|fatal)"/i);
  expect(gateway.output).not.toContain(CANARY);
  expect(lines() - linesBefore).toBeLessThanOrEqual(mostLines);
}

const lines = (): number => gateway.output.split("\n").length;

describe(`${EACH} connections that are reset`, { timeout: 120_000 }, () => {
  /** How often each writes a line to the log: once where a key was looked at, else never. */
  const moments: [string, () => string, { isAnswered?: boolean; lines: number }][] = [
    ["before the key has come", () => upload("{}").slice(0, 60), { lines: 0 }],
    ["in the middle of the body", () => upload(body(5_000), { length: 200_000 }), { lines: 1 }],
    ["behind the last byte, while the body is read", () => upload(body(200_000)), { lines: 1 }],
    [
      "after a key that nobody knows was refused",
      () => upload(body(5_000), { key: "sk_unknown", length: 200_000 }),
      { isAnswered: true, lines: 1 },
    ],
    [
      "after a body too long was refused",
      () => upload(body(5_000), { length: 2 ** 40 }),
      { isAnswered: true, lines: 1 },
    ],
  ];
  it.each(moments)("%s harm nobody", async (_moment, bytes, { isAnswered = false, lines: each }) => {
    onTestFailed(() => console.log(gateway.output.slice(-4_000)));
    treat = (socket) => void socket.resetAndDestroy();
    const before = lines();
    const sent = bytes();
    await times(EACH, () => broken(sent, isAnswered));
    // What a backend that broke off is said to have done is a line more.
    await expectUnharmed(before, 2 * each * EACH + 5, hasNoClients);
  });

  it("in the middle of a TLS handshake with a listener that speaks none harm nobody", async () => {
    onTestFailed(() => console.log(gateway.output.slice(-4_000)));
    const before = lines();
    await times(EACH, async () => {
      const socket = connectTls({ ...address(), rejectUnauthorized: false });
      socket.on("error", () => {});
      await once(socket, "close").catch(() => {});
    });
    await expectUnharmed(before, 5, hasNoClients);
  });
});

describe("1,000 connections to backends that are reset", { timeout: 120_000 }, () => {
  const afterBytes = (count: number) => (socket: Socket) => {
    let seen = 0;
    socket.on("data", (chunk) => {
      seen += chunk.length;
      if (seen >= count) socket.resetAndDestroy();
    });
  };
  const moments: [string, string, (socket: Socket) => void][] = [
    ["when they are accepted", "https", (socket) => void socket.resetAndDestroy()],
    ["after the first bytes of TLS", "https", afterBytes(1)],
    [
      "in the middle of the TLS handshake",
      "https",
      (socket) =>
        void socket.once("data", () => socket.write("\x16\x03\x03\x00\x7a\x02\x00", () => socket.resetAndDestroy())),
    ],
    ["in the middle of an upload to them", "http", afterBytes(20_000)],
  ];
  it.each(moments)("%s are a 502 each and harm nobody", async (_moment, scheme, how) => {
    onTestFailed(() => console.log(gateway.output.slice(-4_000)));
    treat = how;
    const before = lines();
    await times(250, async () => {
      const answer = await call(`breaking-${scheme}`, 500_000);
      expect([answer.status, await answer.json()]).toEqual([
        502,
        { error: expect.objectContaining({ code: "upstream_failed" }) },
      ]);
    });
    // The gateway's own checks of these endpoints go on; they must not look like connections that were left open.
    treat = (socket) => void socket.resetAndDestroy();
    await expectUnharmed(before, 3 * 250 + 5, hasNoBackends);
  });
});
