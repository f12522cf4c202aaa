/** Connections to backends as their users see them: over real sockets, with and without TLS, and the time they are kept. */
import { once } from "node:events";
import { createServer as createPlainServer, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer as createRawServer, type Server, type Socket } from "node:net";
import { VirtualClock } from "@obleth/clock";
import { afterEach, describe, expect, it } from "vitest";
import { CERTIFICATE, CERTIFICATE_KEY } from "../proxy/testing/certificate";
import { until } from "../proxy/testing/rig";
import type { Connection } from "./connection";
import { Connections, type ConnectionsParts } from "./connections";

const rules = { blockPrivateNetworks: false };
const opened: (() => void)[] = [];

afterEach(() => {
  for (const close of opened.splice(0)) close();
});

async function listening(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  opened.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function connectionsTo(
  origin: string,
  parts: Partial<ConnectionsParts> = {},
): { all: Connections; clock: VirtualClock } {
  const clock = new VirtualClock();
  const all = new Connections(origin, { rules, clock, ...parts });
  opened.push(() => all.close());
  return { all, clock };
}

/** Sends a request and gives the connection back when its answer is complete. */
function ask(all: Connections, { fresh = false, body = null as Buffer | null, pauses = false } = {}): Promise<Asked> {
  const connection = all.take({ fresh });
  const head = `POST / HTTP/1.1\r\nhost: ${all.host}\r\ncontent-length: ${body?.length ?? 0}\r\n\r\n`;
  let size = 0;
  return new Promise((resolve, reject) => {
    connection.send(head, body, {
      onSent: () => {},
      onHead: () => {},
      onBody: (bytes) => {
        size += bytes.length;
        if (pauses) setImmediate(() => connection.resume());
        return !pauses;
      },
      onEnd: (isReusable) => {
        if (isReusable) all.giveBack(connection);
        resolve({ connection, size, isReusable });
      },
      onLost: reject,
    });
  });
}

interface Asked {
  readonly connection: Connection;
  readonly size: number;
  readonly isReusable: boolean;
}

const echoLength: RequestListener = (request: IncomingMessage, response) => {
  let size = 0;
  request.on("data", (bytes: Buffer) => (size += bytes.length));
  request.on("end", () => response.end("x".repeat(size)));
};

describe("a connection", () => {
  it("carries one request after another, of any length, and stops reading when told", async () => {
    const { all } = connectionsTo(`http://127.0.0.1:${await listening(createPlainServer(echoLength))}`);
    const first = await ask(all);
    for (const size of [1, 16 * 1024, 16 * 1024 + 1, 3_000_000]) {
      const { connection, ...rest } = await ask(all, { body: Buffer.alloc(size), pauses: size > 1 });
      expect(rest).toEqual({ size, isReusable: true });
      expect(connection).toBe(first.connection);
    }
  });

  it("with TLS trusts whom the system trusts, and whom it is told to trust, under the name it was sent to", async () => {
    const port = await listening(createTlsServer({ key: CERTIFICATE_KEY, cert: CERTIFICATE }, echoLength));
    const trusting = connectionsTo(`https://localhost:${port}`, { tls: { ca: CERTIFICATE } }).all;
    const first = await ask(trusting, { body: Buffer.alloc(500_000), pauses: true });
    expect(first.size).toBe(500_000);
    expect((await ask(trusting)).connection).toBe(first.connection);
    await expect(ask(connectionsTo(`https://localhost:${port}`).all)).rejects.toMatchObject({
      code: "DEPTH_ZERO_SELF_SIGNED_CERT",
    });
    const other = connectionsTo(`https://127.0.0.2:${port}`, { tls: { ca: CERTIFICATE } }).all;
    await expect(ask(other)).rejects.toThrow();
  });

  it("on which bytes come unasked is not used again, and they are nobody's answer", async () => {
    const answer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
    const poison = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil";
    const sockets: Socket[] = [];
    const port = await listening(
      createRawServer((socket) => {
        sockets.push(socket);
        socket.on("error", () => {});
        socket.on("data", () => socket.write(answer));
      }),
    );
    const { all } = connectionsTo(`http://127.0.0.1:${port}`);
    const first = await ask(all);
    sockets[0]?.write(poison);
    await until(() => !first.connection.isOpen);
    const second = await ask(all);
    expect([second.size, second.connection === first.connection, sockets.length]).toEqual([2, false, 2]);
  });

  it("whose answer comes before all of the request has gone is not used again", async () => {
    const port = await listening(
      createRawServer((socket) => {
        socket.on("error", () => {});
        socket.once("data", () => {
          socket.pause();
          socket.write("HTTP/1.1 413 No\r\ncontent-length: 0\r\n\r\n");
        });
      }),
    );
    const { all } = connectionsTo(`http://127.0.0.1:${port}`);
    const asked = await ask(all, { body: Buffer.alloc(50_000_000) });
    expect([asked.isReusable, asked.connection.isOpen]).toEqual([false, false]);
  });
});

describe("an idle connection", () => {
  it("is closed after 45 s, or a second before the backend says it closes it", async () => {
    const server = createPlainServer(echoLength);
    server.keepAliveTimeout = 10_000;
    const { all, clock } = connectionsTo(`http://127.0.0.1:${await listening(server)}`);
    const hinted = (await ask(all)).connection;
    clock.advance(8_999);
    expect(hinted.isOpen).toBe(true);
    clock.advance(1_001);
    expect(hinted.isOpen).toBe(false);

    const answer = "HTTP/1.1 204 OK\r\n\r\n";
    const silent = await listening(createRawServer((socket) => void socket.on("data", () => socket.write(answer))));
    const other = connectionsTo(`http://127.0.0.1:${silent}`);
    const kept = (await ask(other.all)).connection;
    other.clock.advance(44_999);
    expect(kept.isOpen).toBe(true);
    other.clock.advance(1_001);
    expect(kept.isOpen).toBe(false);
  });

  it("that was used last is used next, and none outlives the endpoint", async () => {
    const { all } = connectionsTo(`http://127.0.0.1:${await listening(createPlainServer(echoLength))}`);
    const asked = await Promise.all([ask(all), ask(all)]);
    const next = await ask(all);
    expect(asked.map(({ connection }) => connection)).toContain(next.connection);
    all.close();
    expect(asked.map(({ connection }) => connection.isOpen)).toEqual([false, false]);
    expect((await ask(all)).connection.isOpen).toBe(false);
  });
});
