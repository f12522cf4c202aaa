/**
 * Many requests of every kind at once against backends and clients that misbehave at random. Whatever happens, no limit is
 * passed and everything comes back. `OBLETH_TORTURE_REQUESTS` sets how many (100,000 is the full run).
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { SystemClock } from "@obleth/clock";
import { MemoryBudgets, type TermLimit } from "@obleth/cluster";
import { expect, it } from "vitest";
import { OpenCalls } from "./testing/open-calls";
import { RawClient, rawChat } from "./testing/raw-client";
import { endpoint, key, model, type Rig, SECRET, tenant, until } from "./testing/rig";
import type { Script, ScriptedAnswer, ScriptedUpstream } from "./testing/scripted-upstream";
import {
  chunk,
  completion,
  delta,
  event,
  json,
  LAST_CHUNK,
  STREAM_HEAD,
  usageChunk,
  wantsUsage,
} from "./testing/scripts";
import { backend, gatewayWith } from "./testing/set-up";

const TOTAL = Number(process.env.OBLETH_TORTURE_REQUESTS ?? 3000);
const PARALLEL = 64;
const POOL = 12;
/** The tightest limit, so the one that the backends' count is held to. */
const KEY_CAP = 10;
const ENDPOINT_CAP = 7;
/** Requests before the heap is measured first: code is compiled, connections and tables have their size. */
const WARM_REQUESTS = 1000;
/** Less than a hundredth of what the requests would take up if they were kept. */
const MOST_GROWTH_BYTES = 8 * 1024 * 1024;

/** Mulberry32: small, seeded, good enough to vary a test. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** A backend that mostly answers, and fails in every way now and then. */
function moody(random: () => number): Script {
  return async (answer) => {
    const mood = random();
    if (mood < 0.03) return answer.reset();
    if (mood < 0.05) return answer.close();
    if (mood < 0.08) return json({ error: { message: "busy" } }, { status: 503 })(answer);
    if (mood < 0.085) return unending(answer);
    if (mood < 0.1) return json({ error: { message: "bad" } }, { status: 400 })(answer);
    if (mood < 0.11) return answer.write("garbage\r\n\r\n");
    if (mood < 0.12) return answer.hang();
    if (mood < 0.6) await answer.pause(random() * 40);
    if (!answer.request.body.includes('"stream":true')) return json(completion("x".repeat(random() * 20_000)))(answer);
    await answer.write(STREAM_HEAD);
    const events = Math.floor(random() * 12);
    for (let i = 0; i < events && !answer.isGone; i++) {
      await answer.write(chunk(event(delta("y".repeat(random() * 4000)))));
      if (random() < 0.3) await answer.pause(random() * 4);
    }
    if (random() < 0.05) return answer.reset();
    if (random() < 0.03) return answer.hang();
    await answer.write(chunk(event(delta("", "stop"))));
    if (wantsUsage(answer)) await answer.write(chunk(event(usageChunk())));
    await answer.write(chunk(event("[DONE]")));
    await answer.write(LAST_CHUNK);
  };
}

/** Is busy, and begins to say why. */
async function unending(answer: ScriptedAnswer): Promise<void> {
  await answer.write("HTTP/1.1 503 X\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{");
  await answer.hang();
}

/** One client that behaves, leaves, resets, dawdles or sends nonsense. */
async function client(rig: Rig, random: () => number): Promise<void> {
  const path = random() < 0.3 ? "/v1/messages" : random() < 0.2 ? "/v1/embeddings" : "/v1/chat/completions";
  const body = {
    model: random() < 0.03 ? "unknown" : "m",
    stream: random() < 0.6,
    max_tokens: 5,
    input: "x",
    messages: [{ role: "user", content: "z".repeat(random() * 3000) }],
  };
  const bytes = random() < 0.03 ? "nonsense\r\n\r\n" : rawChat(body, { path, headers: ["connection: close"] });
  const raw = await RawClient.connect(rig.port).catch(() => null);
  if (raw === null) return;
  const manner = random();
  raw.socket.write(manner < 0.05 ? bytes.slice(0, Math.floor(bytes.length * random())) : bytes);
  if (manner < 0.15) {
    await sleep(random() * 15);
    raw.reset();
  } else if (manner < 0.2) {
    raw.socket.pause();
    await sleep(random() * 60);
    raw.socket.resume();
  } else if (manner < 0.25) {
    await sleep(random() * 15);
    raw.socket.end();
  }
  const timer = setTimeout(() => raw.reset(), 3000);
  await new Promise<void>((resolve) => (raw.isClosed ? resolve() : raw.socket.once("close", () => resolve())));
  clearTimeout(timer);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

async function runMany(rig: Rig, random: () => number, count: number): Promise<void> {
  let left = count;
  const lane = async (): Promise<void> => {
    while (left-- > 0) await client(rig, random);
  };
  await Promise.all(Array.from({ length: PARALLEL }, lane));
}

/**
 * What the pool's backends see together, counted one turn after a request arrives: each connection is read by itself, and
 * the end of a request that was given up may be read after the next request though it was sent before. That nothing hides
 * behind that turn is what `OpenCalls` is for, which counts without one at the sending side.
 */
class Backends {
  mostOpen = 0;
  mostOpenAtOne = 0;

  private constructor(readonly all: readonly ScriptedUpstream[]) {}

  static async start(random: () => number): Promise<Backends> {
    const backends = new Backends([await backend(moody(random)), await backend(moody(random))]);
    for (const upstream of backends.all) {
      const { script } = upstream;
      upstream.script = (answer) => {
        setImmediate(() => backends.#count());
        return script(answer);
      };
    }
    return backends;
  }

  #count(): void {
    this.mostOpen = Math.max(this.mostOpen, this.open);
    this.mostOpenAtOne = Math.max(this.mostOpenAtOne, ...this.all.map((upstream) => upstream.open));
  }

  get ports(): ReadonlySet<number> {
    return new Set(this.all.map((upstream) => upstream.port));
  }

  get open(): number {
    return this.all.reduce((sum, upstream) => sum + upstream.open, 0);
  }
}

const TERM: TermLimit = { subject: "key:k1", term: "lifetime", endsAtMs: null, tokens: 1e12, costUsd: null };
const budgets = new MemoryBudgets(new SystemClock());

async function startGateway(backends: Backends): Promise<Rig> {
  const capped = key({
    policy: { ...key().policy, maxInFlight: KEY_CAP },
    budget: { tokens: TERM.tokens, costUsd: null, period: "lifetime", startedAtMs: null },
    tenant: tenant({ tokensPerMinute: 1e9 }),
  });
  return gatewayWith({
    models: [
      model(
        backends.all.map((upstream) => endpoint(upstream.base, { maxInFlight: ENDPOINT_CAP })),
        { maxInFlight: POOL, endpointSelection: "load_balance", maxRetries: 1 },
      ),
    ],
    keys: new Map([[SECRET, capped]]),
    settings: { firstByteTimeoutMs: 400, idleTimeoutMs: 400, clientStallMs: 1000 },
    admissionTimeoutMs: 60,
    budgets,
  });
}

/** Twice as many requests as slots, at backends so slow that the second half waits in vain. */
async function waitInVain(rig: Rig, backends: Backends): Promise<void> {
  for (const upstream of backends.all) {
    upstream.script = async (answer) => {
      await answer.pause(300);
      await json(completion("late"))(answer);
    };
  }
  await Promise.all(Array.from({ length: 2 * KEY_CAP }, () => rig.chat().then((answer) => answer.text())));
}

async function expectNothingHeld(rig: Rig, backends: Backends, calls: OpenCalls): Promise<void> {
  await until(() => rig.listener.activeCount === 0 && rig.inFlight === 0 && backends.open === 0, 10_000);
  expect(rig.scheduler.sample().every((pool) => pool.inFlight === 0 && pool.queued === 0)).toBe(true);
  expect(await budgets.usage(TERM)).toMatchObject({ reservedTokens: 0, reservedCostUsd: 0 });
  expect(rig.listener.heldBodyBytes).toBe(0);
  expect(rig.faults).toEqual([]);
  expect(rig.lines.filter((line) => line.level === "error")).toEqual([]);
  expect(backends.mostOpenAtOne).toBeLessThanOrEqual(ENDPOINT_CAP);
  expect(backends.mostOpen).toBeLessThanOrEqual(KEY_CAP);
  expect(calls.open).toBe(0);
  expect(calls.most).toBeLessThanOrEqual(KEY_CAP);
}

/** Heap in use once what the test itself wrote down has been let go, bytes. */
function heapOf(rig: Rig, backends: Backends): number {
  for (const list of [rig.records, rig.lines, rig.attempts, ...backends.all.map((each) => each.requests)])
    list.length = 0;
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().heapUsed;
}

it(
  `passes no limit and gives everything back over ${TOTAL} requests of every kind`,
  async () => {
    const random = seeded(Number(process.env.OBLETH_TORTURE_SEED ?? 20_261_130));
    const backends = await Backends.start(random);
    const calls = new OpenCalls(backends.ports);
    const rig = await startGateway(backends);
    await runMany(rig, random, WARM_REQUESTS);
    await expectNothingHeld(rig, backends, calls);
    const heapBefore = heapOf(rig, backends);

    await runMany(rig, random, TOTAL - WARM_REQUESTS);
    await waitInVain(rig, backends);
    await expectNothingHeld(rig, backends, calls);
    expect(new Set(rig.records.map((record) => record.requestId)).size).toBe(rig.records.length);
    const outcomes = new Set(rig.records.map((record) => record.outcome));
    for (const outcome of ["completed", "client_gone", "upstream_error", "refused", "timed_out"] as const)
      expect(outcomes).toContain(outcome);

    calls.stop();
    for (const upstream of backends.all) upstream.script = json(completion("after"));
    const answers = await Promise.all(Array.from({ length: KEY_CAP }, () => rig.chat()));
    expect(answers.map((answer) => answer.status)).toEqual(Array(KEY_CAP).fill(200));
    await Promise.all(answers.map((answer) => answer.text()));
    const grownBytes = heapOf(rig, backends) - heapBefore;
    console.log(
      `${TOTAL} requests: at most ${calls.most} of ${KEY_CAP} open (${backends.mostOpen} seen by the backends), heap ${grownBytes} bytes more than before`,
    );
    expect(grownBytes).toBeLessThan(MOST_GROWTH_BYTES);
  },
  // Time for the full run on a slow machine.
  30 * 60_000,
);
