import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import postgres from "postgres";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lockDataDir } from "./data-lock";
import { canBind, freePort } from "./ports";
import { isRunning } from "./process-identity";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "./server";

const isRoot = process.getuid?.() === 0;
let folder: string;
let running: EmbeddedPostgres[];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "obleth-embedded-"));
  chmodSync(folder, 0o755);
  running = [];
});

afterEach(async () => {
  await Promise.all(running.map((server) => server.stop()));
  rmSync(folder, { recursive: true, force: true });
});

async function start(options: { dataDir?: string; port?: number; onEvent?: (event: string) => void } = {}) {
  const server = await startEmbeddedPostgres({
    dataDir: path.join(folder, "data-dir"),
    stateDir: path.join(folder, "state"),
    isDurable: false,
    ...options,
  });
  running.push(server);
  return server;
}

/** A server whose parent, a process of its own, was killed with no chance to stop it. */
async function startAndKillParent(): Promise<string> {
  const options = { dataDir: path.join(folder, "data-dir"), stateDir: path.join(folder, "state"), isDurable: false };
  const script =
    `import { startEmbeddedPostgres } from ${JSON.stringify(path.join(import.meta.dirname, "server.ts"))};` +
    `console.log((await startEmbeddedPostgres(${JSON.stringify(options)})).url); setInterval(() => {}, 1000);`;
  const flags = ["--import", "tsx", "--input-type=module", "-e", script];
  const parent = spawn(process.execPath, flags, { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(parent.stdout, "data");
  parent.kill("SIGKILL");
  await once(parent, "exit");
  return String(line).trim();
}

async function ask<Row extends object>(url: string, query: string): Promise<readonly Row[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await sql.unsafe<Row[]>(query);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function until(isDone: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!(await isDone())) {
    if (performance.now() > deadline) throw new Error("the condition did not come true");
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe("the embedded database", () => {
  it("answers on loopback with its password only, and keeps its data over a stop and a start", async () => {
    const first = await start();
    await ask(first.url, "create table notes (body text)");
    await ask(first.url, "insert into notes values ('kept')");
    await expect(ask(first.url.replace(/:[0-9a-f]{48}@/, ":wrong@"), "select 1")).rejects.toThrow(/password/);
    expect(await ask(first.url, "show listen_addresses")).toEqual([{ listen_addresses: "127.0.0.1" }]);
    expect(statSync(path.join(first.dir, "password")).mode & 0o777).toBe(0o600);
    expect(statSync(first.dir).mode & 0o777).toBe(0o700);
    const pid = first.pid();
    await first.stop();
    expect(isRunning(pid)).toBe(false);
    const second = await start();
    expect(await ask(second.url, "select body from notes")).toEqual([{ body: "kept" }]);
  });

  it("replaces a server that outlived its killed parent, and keeps what it had committed", async () => {
    const orphanUrl = await startAndKillParent();
    await ask(orphanUrl, "create table notes as select 'kept' as body");
    const events: string[] = [];
    const next = await start({ onEvent: (event) => events.push(event) });
    expect(events).toContain("database.left_over_stopped");
    expect(isRunning(next.pid())).toBe(true);
    expect(await ask(next.url, "select body from notes")).toEqual([{ body: "kept" }]);
  });

  it("comes back on the same port when the server dies under a running gateway", async () => {
    const events: string[] = [];
    const server = await start({ onEvent: (event) => events.push(event) });
    const { port } = server;
    process.kill(server.pid(), "SIGKILL");
    await until(() => events.includes("database.restarted"));
    expect(server.port).toBe(port);
    expect(await ask(server.url, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  it("does not signal a stranger that was given the number of a server long gone", async () => {
    const server = await start();
    await server.stop();
    const stranger = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    try {
      writeFileSync(path.join(server.dir, "data", "postmaster.pid"), `${stranger.pid}\n`);
      await start();
      expect(stranger.exitCode === null && stranger.signalCode === null).toBe(true);
    } finally {
      stranger.kill();
      await once(stranger, "exit");
    }
  });

  it("says in one line that a wanted port is in use", async () => {
    const port = await freePort();
    const other = createServer().listen(port, "127.0.0.1");
    await once(other, "listening");
    try {
      await expect(start({ port })).rejects.toThrow(/^port \d+ of the embedded database is in use; set [^\n]+$/);
    } finally {
      other.close();
    }
  });

  it("takes the wanted port when it is free", async () => {
    const port = await freePort();
    expect((await start({ port })).port).toBe(port);
    expect(await canBind(port)).toBe(false);
  });

  it("refuses data of another Postgres version and says what to do", async () => {
    const server = await start();
    await server.stop();
    writeFileSync(path.join(server.dir, "data", "PG_VERSION"), "9\n");
    await expect(start()).rejects.toThrow(
      /made by Postgres 9 and this release carries \d+; [^\n]+OBLETH_DATABASE_URL$/,
    );
  });

  it("starts afresh after an interrupted first start", async () => {
    const dir = path.join(folder, "data-dir", "postgres");
    mkdirSync(path.join(dir, "data.unfinished", "base"), { recursive: true });
    writeFileSync(path.join(dir, "password"), "left by the interrupted start\n");
    const server = await start();
    expect(await ask(server.url, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  // Only root serves the database as somebody else.
  if (isRoot)
    it("goes to a folder its user can reach when the data folder lies below a private one", async () => {
      const home = path.join(folder, "private");
      mkdirSync(home, { mode: 0o700 });
      const places: unknown[] = [];
      const server = await startEmbeddedPostgres({
        dataDir: path.join(home, "data-dir"),
        stateDir: path.join(folder, "state"),
        isDurable: false,
        onEvent: (event, details) => places.push(event, details.dir),
      });
      running.push(server);
      expect(places).toEqual(["database.placed_elsewhere", server.dir]);
      expect(server.dir.startsWith(path.join(folder, "state"))).toBe(true);
      expect(await ask(server.url, "select 1 as one")).toEqual([{ one: 1 }]);
    });

  it("says in one line that the data folder cannot be made", async () => {
    const file = path.join(folder, "file");
    writeFileSync(file, "");
    await expect(start({ dataDir: path.join(file, "data") })).rejects.toThrow(/^cannot write to [^\n]+OBLETH_DATA_DIR/);
  });
});

describe("the lock on a data folder", () => {
  it("refuses a second owner and names the first", () => {
    const lock = lockDataDir(folder);
    expect(() => lockDataDir(folder)).toThrow(new RegExp(`process ${process.pid}\\) uses the data folder`));
    lock.release();
    lockDataDir(folder).release();
    expect(existsSync(path.join(folder, "gateway.lock"))).toBe(false);
  });

  it("is free once its owner was killed, even when the number runs another process", () => {
    const file = path.join(folder, "gateway.lock");
    writeFileSync(file, JSON.stringify({ pid: process.pid, identity: "an earlier process of this number" }));
    const lock = lockDataDir(folder);
    expect(JSON.parse(readFileSync(file, "utf8")).pid).toBe(process.pid);
    lock.release();
  });

  it("is free when the file was left torn", () => {
    writeFileSync(path.join(folder, "gateway.lock"), '{"pid":');
    lockDataDir(folder).release();
  });

  it("has one owner however many processes start in the folder at the same moment", async () => {
    const rounds = 500;
    for (let round = 0; round < rounds; round++) mkdirSync(path.join(folder, String(round)));
    const script = `
      import { lockDataDir } from "${path.join(import.meta.dirname, "data-lock.ts")}";
      process.stdout.write("ready\\n");
      process.stdin.once("data", (text) => {
        const beginMs = Number(text);
        const won = [];
        for (let round = 0; round < ${rounds}; round++) {
          while (Date.now() < beginMs + round);
          try {
            lockDataDir("${folder}/" + round);
            won.push(round);
          } catch {}
        }
        process.stdout.write(JSON.stringify(won));
        process.stdout.end();
        process.stdin.once("end", () => process.exit());
      });`;
    const starters = [0, 1, 2].map(() =>
      spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script], {
        stdio: ["pipe", "pipe", "inherit"],
      }),
    );
    await Promise.all(starters.map(({ stdout }) => once(stdout, "data")));
    const printed = starters.map(({ stdout }) => stdout.setEncoding("utf8").toArray());
    const beginMs = Date.now() + 50;
    for (const { stdin } of starters) stdin.write(`${beginMs}\n`);
    const won = (await Promise.all(printed)).flatMap((pieces) => JSON.parse(pieces.join("")) as number[]);
    // Until here each lived, so that no lock was one of the dead.
    for (const { stdin } of starters) stdin.end();
    expect(won.sort((a, b) => a - b)).toEqual(Array.from({ length: rounds }, (_, round) => round));
  });
});
