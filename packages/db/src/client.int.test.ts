import { once } from "node:events";
import { type AddressInfo, connect as connectTo, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type DbHandle, makeDb, readTogether } from "./client";
import { migrate } from "./migrate";
import { createTestDatabase } from "./testing";

/** What a pgbouncer takes at the start of a connection; anything else it refuses. */
const POOLER_TAKES = ["application_name", "client_encoding", "database", "TimeZone", "user"];

/** An error message of the protocol: kind, length, fields. */
const FIELDS = Buffer.from("SFATAL\0C08P01\0Mrefused\0\0");
const REFUSED = Buffer.concat([Buffer.from("E"), Buffer.from([0, 0, 0, FIELDS.length + 4]), FIELDS]);

describe("a connection through a pooler in transaction mode", () => {
  let server: Server;
  beforeEach(async () => {
    server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  afterEach(() => server.close());

  /** Names of the parameters that the client sends first. */
  async function startOf(run: (url: string) => Promise<unknown>): Promise<string[]> {
    const { port } = server.address() as AddressInfo;
    const connected = once(server, "connection") as Promise<[Socket]>;
    const running = run(`postgres://obleth:x@127.0.0.1:${port}/obleth`).catch(() => undefined);
    const [socket] = await connected;
    const [bytes] = (await once(socket, "data")) as [Buffer];
    socket.end(REFUSED);
    await running;
    return bytes
      .subarray(8)
      .toString()
      .split("\0")
      .filter((_, i) => i % 2 === 0)
      .filter((name) => name !== "");
  }

  it.each([
    [
      "a pool without prepared statements",
      (url: string) => {
        const handle = makeDb(url, { prepare: false, maxConnections: 1 });
        return handle.db.execute("select 1").finally(() => handle.close());
      },
    ],
    ["a migration", (url: string) => migrate(url)],
  ])("%s asks for nothing that a pooler refuses", async (_, run) => {
    expect((await startOf(run)).filter((name) => !POOLER_TAKES.includes(name))).toEqual([]);
  });
});

describe("a connection", () => {
  it("ends statements after a minute, and speaks UTC", async () => {
    const test = await createTestDatabase({ migrated: false });
    const [row] =
      await test.sql`select current_setting('statement_timeout') as limit, current_setting('TimeZone') as zone`;
    expect(row).toEqual({ limit: "1min", zone: "UTC" });
    await test.drop();
  });

  it("reads together what belongs to one moment, and cannot write there", async () => {
    const test = await createTestDatabase();
    const other: DbHandle = makeDb(test.url, { maxConnections: 1 });
    const count = "select count(*)::int as n from groups";
    const seen = await readTogether(test.db, async (tx) => {
      const before = await tx.execute(count);
      await other.sql`insert into groups (name) values ('later')`;
      return [before[0], (await tx.execute(count))[0]];
    });
    expect(seen).toEqual([{ n: 1 }, { n: 1 }]);
    await expect(readTogether(test.db, (tx) => tx.execute("delete from groups"))).rejects.toMatchObject({
      cause: { code: "25006" },
    });
    await other.close();
    await test.drop();
  });
});

describe("a server that has gone silent", () => {
  /** A way to the test database that can lose everything on the connections it has, and says nothing of it. */
  async function lossyWay(target: string) {
    const { hostname, port } = new URL(target);
    const lost = new Set<Socket>();
    const sockets = new Set<Socket>();
    const server = createServer((near) => {
      const far = connectTo(Number(port), hostname);
      sockets.add(near).add(far);
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        from.on("data", (bytes) => lost.has(near) || to.write(bytes));
        from.on("error", () => {}).on("close", () => lost.has(near) || to.destroy());
      }
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = new URL(target);
    url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const close = () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    };
    return { url: url.href, loseAll: () => sockets.forEach((socket) => void lost.add(socket)), close };
  }

  it("fails what waits for it, and new connections serve what comes then", async () => {
    const test = await createTestDatabase({ migrated: false });
    const way = await lossyWay(test.url);
    const handle = makeDb(way.url, { maxConnections: 2, silenceMs: 2000 });
    await Promise.all([handle.sql`select 1`, handle.sql`select 1`]);
    way.loseAll();
    const waiting = Array.from({ length: 5 }, () =>
      handle.sql`select 1`.then(
        () => "answered",
        () => "failed",
      ),
    );
    expect((await Promise.all(waiting)).slice(0, 2)).toEqual(["failed", "failed"]);
    expect(await handle.sql`select 2 as n`).toEqual([{ n: 2 }]);
    await handle.close();
    way.close();
    await test.drop();
  });
});
