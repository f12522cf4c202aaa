/**
 * What may be lost when things go wrong, and how soon a slot is back, measured on a gateway in a process of its own. How
 * long this machine takes at the moment to carry anything from a client to where it is seen is measured beside it, by
 * calls that arrive, and taken off: what is left is the gateway's own lateness. `proxy/leaving.test.ts` holds every
 * single client that leaves to it, by turns of the event loop instead of time.
 */
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { connect } from "@obleth/db";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { GatewayProcess, removeBundle, until } from "./testing/gateway-process";
import { HeldBackend } from "./testing/held-backend";

const QUEUED_MS = 20;
const RUNNING_MS = 100;
const TRIES = 20;
/** Slots of the sample's model. */
const POOL = 8;
/** Rows written to the database at once. */
const BATCH = 500;

let home: string;
let backend: HeldBackend;
let gateway: GatewayProcess;

beforeAll(async () => {
  backend = await HeldBackend.start();
  home = mkdtempSync(path.join(tmpdir(), "obleth-reliability-"));
  // Else root's database user could not enter.
  chmodSync(home, 0o755);
});

afterAll(() => {
  backend.stop();
  removeBundle();
  rmSync(home, { recursive: true, force: true });
});

beforeEach(async () => {
  backend.isOpen = true;
  gateway = await start();
}, 60_000);

afterEach(async () => {
  backend.letGo();
  await gateway.stop();
});

function start(): Promise<GatewayProcess> {
  return GatewayProcess.start(path.join(home, "data"), {
    OBLETH_SIM_BACKEND_URL: backend.url,
    OBLETH_SHUTDOWN_GRACE_SECS: "20",
  });
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.POSITIVE_INFINITY;
}

const ignore = (): undefined => undefined;

/** A call that can be given up. */
function call(secret: string, user: string): { readonly leave: () => void } {
  const leaving = new AbortController();
  void fetch(`${gateway.run.proxy}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "sim-chat", user, messages: [{ role: "user", content: "Hello" }] }),
    signal: leaving.signal,
  }).catch(ignore);
  return { leave: () => leaving.abort() };
}

async function counts(): Promise<{ in_flight: number; queued: number }> {
  const live = await gateway.manage("GET", "/fairshare/live?fields=summary");
  return (await live.json()) as { in_flight: number; queued: number };
}

/** Milliseconds until the queue is that long, asking without pause. */
async function untilQueued(length: number): Promise<number> {
  const start = performance.now();
  while ((await counts()).queued !== length);
  return performance.now() - start;
}

/** Milliseconds from here until it has come true. */
async function timed(happened: Promise<unknown>): Promise<number> {
  const start = performance.now();
  await happened;
  return performance.now() - start;
}

/** Calls for all slots that are free, all held by the backend. */
async function fillPool(secret: string): Promise<{ readonly leave: () => void }[]> {
  const missing = POOL - backend.held.length;
  const running = Array.from({ length: missing }, (_, i) => call(secret, `running-${i}`));
  await until(() => backend.held.length === POOL);
  return running;
}

describe("a client that leaves", () => {
  it(`while it waits is out of the queue within ${QUEUED_MS} ms`, async () => {
    const { chatbot = "" } = gateway.sampleKeys;
    backend.isOpen = false;
    await fillPool(chatbot);
    const arrivals: number[] = [];
    const departures: number[] = [];
    for (let i = 0; i < TRIES; i++) {
      const waiting = call(chatbot, `waiting-${i}`);
      arrivals.push(await untilQueued(1));
      waiting.leave();
      departures.push(await untilQueued(0));
    }
    expect(median(departures) - median(arrivals)).toBeLessThan(QUEUED_MS);
    expect(backend.users.some((user) => user.startsWith("waiting"))).toBe(false);
  });

  it(`while it is served stops the backend, and its slot serves the next, within ${RUNNING_MS} ms`, async () => {
    const { chatbot = "" } = gateway.sampleKeys;
    backend.isOpen = false;
    const arrivals: number[] = [];
    const running: { readonly leave: () => void }[] = [];
    const stops: number[] = [];
    const starts: number[] = [];
    for (let i = 0; i < TRIES; i++) {
      const arrival = timed(backend.nextCall());
      running.push(call(chatbot, `first-${i}`));
      arrivals.push(await arrival);
      running.push(...(await fillPool(chatbot)));
      const next = call(chatbot, `next-${i}`);
      await until(async () => (await counts()).queued === 1);
      const start = timed(backend.nextCall());
      const stop = timed(Promise.race(backend.held.map((held) => once(held, "close"))));
      running.shift()?.leave();
      starts.push(await start);
      stops.push(await stop);
      for (const { leave } of [...running.splice(0), next]) leave();
      await until(() => backend.held.every((held) => held.destroyed));
      backend.held.length = 0;
      await until(async () => (await counts()).in_flight === 0);
    }
    expect(median(stops) - median(arrivals)).toBeLessThan(RUNNING_MS);
    expect(median(starts) - median(arrivals)).toBeLessThan(RUNNING_MS);
  });
});

describe("usage records", () => {
  /** Calls without end from several clients; `stop` resolves to how many were answered. */
  function load(): { readonly stop: () => Promise<number>; readonly answered: () => number } {
    const { chatbot = "" } = gateway.sampleKeys;
    let isOver = false;
    let answered = 0;
    const lane = async (): Promise<void> => {
      while (!isOver) {
        const response = await gateway.chat(chatbot).catch(ignore);
        const text = await response?.text().catch(ignore);
        if (response?.status === 200 && text !== undefined) answered++;
        else isOver = true;
      }
    };
    const lanes = Promise.all(Array.from({ length: 16 }, lane));
    return {
      answered: () => answered,
      stop: async () => {
        isOver = true;
        await lanes;
        return answered;
      },
    };
  }

  /** What the gateway has written down for a life after a kill. */
  function unsaved(): number {
    const file = path.join(gateway.dataDir, "usage-unsaved");
    return existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
  }

  async function completedRows(): Promise<number> {
    const { port, dir } = gateway.run.database ?? { port: 0, dir: "" };
    const password = readFileSync(path.join(dir, "password"), "utf8").trim();
    const sql = connect(`postgres://obleth:${password}@127.0.0.1:${port}/obleth`, { max: 1 });
    const [row] = await sql<{ n: number }[]>`select count(*)::int as n from usage where outcome = 'completed'`;
    await sql.end();
    return row?.n ?? 0;
  }

  it("are all there after a stop in order under load", async () => {
    const before = await completedRows();
    const calls = load();
    await until(() => calls.answered() > 1500);
    gateway.signal("SIGTERM");
    expect(await gateway.ended()).toBe(0);
    const answered = await calls.stop();
    gateway = await start();
    expect(gateway.output).not.toContain('"usage.dropped"');
    expect((await completedRows()) - before).toBe(answered);
  });

  it("lack at most one batch after a kill under load, and the next start says how many", async () => {
    const before = await completedRows();
    const calls = load();
    await until(() => calls.answered() > 1500 && unsaved() > 0);
    gateway.signal("SIGKILL");
    await gateway.ended();
    const answered = await calls.stop();
    const counted = unsaved();
    gateway = await start();
    const lost = answered - ((await completedRows()) - before);
    expect(lost).toBeLessThanOrEqual(BATCH);
    expect(counted).toBeLessThanOrEqual(BATCH);
    expect(gateway.output.includes('"usage.dropped"')).toBe(counted > 0);
    const page = await (await fetch(`${gateway.run.metrics}/metrics`)).text();
    expect(page).toContain(`\nobleth_usage_dropped_total ${counted}\n`);
  });
});
