/** How many slots a second one replica claims and gives back, beside the bare script and beside other libraries. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { SystemClock } from "@obleth/clock";
import Bottleneck from "bottleneck";
import { Redis } from "ioredis";
import { Semaphore } from "redis-semaphore";
import { type Figure, ratioFigure } from "../../../scripts/figure";
import { connectionOptions } from "../src/redis/connect";
import { makeKeys } from "../src/redis/keys";
import { RedisScripts, scriptText } from "../src/redis/scripts";
import { operationArguments } from "../src/slots/operation-arguments";
import { OperationLine } from "../src/slots/operation-line";
import { RedisSlots } from "../src/slots/redis-slots";
import type { ClaimOperation, ReleaseOperation, SlotOperation } from "../src/slots/slot-store";
import { PLAIN_CLAIM, SOME_OWNER } from "../test/slot-commands";
import type { TestRedis } from "../test/support/redis-server";
import { alternate, type Side } from "./rates";

const OUTSTANDING = 32;
const INSTANCE = "bench";
const PER_SECOND = "per s";
const CLAIM: ClaimOperation = { ...PLAIN_CLAIM, poolSize: 1e9, ceiling: 1e9 };
const RELEASE: ReleaseOperation = { kind: "release", ...SOME_OWNER };

export async function slotRates(redis: TestRedis, quick: boolean): Promise<Figure[]> {
  const rounds = quick ? 3 : 7;
  const calls = quick ? 10_000 : 40_000;
  const bench = await openBench(redis);
  const bare: Side = async () => benchmarkScript(redis.port, calls * 2);
  const onePerCall = await alternate(rounds, () => onePerCallRate(bench, calls), bare);
  const coalesced = await alternate(rounds, () => coalescedRate(bench, calls * 4), bare);
  const semaphore = await alternate(
    rounds,
    () => pairRate(bench, calls),
    () => semaphoreRate(redis, calls / 4),
  );
  const bottleneck = await alternate(
    rounds,
    () => pairRate(bench, calls),
    () => bottleneckRate(redis, calls / 40),
  );
  const cost = await alternate(
    rounds,
    () => cpuMicros(bench, calls, () => pairRate(bench, calls)),
    () => cpuMicros(bench, calls / 4, () => semaphoreRate(redis, calls / 4)),
  );
  bench.client.disconnect();
  return [
    ratioFigure("claims, one per call, 32 outstanding, beside redis-benchmark -P 16 on the script", onePerCall, {
      unit: PER_SECOND,
      atLeast: 0.4,
      stretch: 0.55,
    }),
    ratioFigure("claims coalesced per tick, beside the same", coalesced, {
      unit: PER_SECOND,
      atLeast: 1,
      stretch: 1.5,
    }),
    ratioFigure("claim and release, pairs, beside redis-semaphore", semaphore, {
      unit: PER_SECOND,
      atLeast: 3,
      stretch: 5,
    }),
    ratioFigure("claim and release, pairs, beside clustered bottleneck", bottleneck, {
      unit: PER_SECOND,
      atLeast: 50,
      stretch: 100,
    }),
    ratioFigure("CPU of gateway and Redis per claim and release, beside redis-semaphore", cost, { unit: "us" }),
  ];
}

interface Bench {
  readonly client: Redis;
  readonly store: RedisSlots;
}

async function openBench(redis: TestRedis): Promise<Bench> {
  const client = new Redis(redis.url, {
    ...connectionOptions({
      url: redis.url,
      isCluster: false,
      sentinels: [],
      sentinelName: null,
      connectTimeoutMs: 2000,
    }),
    lazyConnect: true,
  });
  await client.connect();
  const store = new RedisSlots(new RedisScripts(client), makeKeys({ prefix: "obleth", isCluster: false }));
  await new Promise<void>((resolve, reject) =>
    store.heartbeat(
      { instance: INSTANCE, ttlMs: 3_600_000, epoch: 1, holdings: new Map(), asksOthers: false },
      (result) => (result.ok ? resolve() : reject(result.error)),
    ),
  );
  return { client, store };
}

/** Each claim a call of its own, 32 on their way at any time. */
function onePerCallRate({ store }: Bench, calls: number): Promise<number> {
  return timed(calls, (done) => {
    let left = calls;
    const next = () => {
      if (left-- > 0) store.run({ instance: INSTANCE, epoch: 1, operations: [CLAIM] }, answered);
    };
    const answered = () => {
      done();
      next();
    };
    for (let i = 0; i < OUTSTANDING; i++) next();
  });
}

/** Claims of one tick in one call, as the gateway sends them, with 512 requests waiting at any time. */
function coalescedRate(bench: Bench, claims: number): Promise<number> {
  const line = openLine(bench);
  return timed(claims, (done) => {
    let left = claims;
    const next = () => {
      if (left-- > 0) line.push(CLAIM, answered);
    };
    const answered = () => {
      done();
      next();
    };
    for (let i = 0; i < 512; i++) next();
  });
}

/** A slot claimed and given back, 32 at a time, as the gateway does it. */
function pairRate(bench: Bench, pairs: number): Promise<number> {
  const line = openLine(bench);
  const push = (operation: SlotOperation, then: () => void) => line.push(operation, then);
  return timed(pairs, (done) => {
    let left = pairs;
    const next = () => {
      if (left-- <= 0) return;
      push(CLAIM, () =>
        push(RELEASE, () => {
          done();
          next();
        }),
      );
    };
    for (let i = 0; i < OUTSTANDING; i++) next();
  });
}

function openLine({ store }: Bench): OperationLine {
  const line = new OperationLine({
    store,
    clock: new SystemClock(),
    instance: INSTANCE,
    timeoutMs: 10_000,
    defer: setImmediate,
    isVoid: () => false,
    onAnswer: () => undefined,
    onFailure: (reason, error) => {
      throw new Error(`a slot call failed: ${reason} ${String(error)}`);
    },
  });
  line.resume(1);
  return line;
}

async function semaphoreRate(redis: TestRedis, pairs: number): Promise<number> {
  const client = new Redis(redis.url);
  const rate = await workers(pairs, async () => {
    const semaphore = new Semaphore(client, "peer-semaphore", 1000, { lockTimeout: 30_000, refreshInterval: 0 });
    await semaphore.acquire();
    await semaphore.release();
  });
  client.disconnect();
  return rate;
}

async function bottleneckRate(redis: TestRedis, pairs: number): Promise<number> {
  const limiter = new Bottleneck({
    id: "peer-bottleneck",
    datastore: "ioredis",
    clientOptions: { host: "127.0.0.1", port: redis.port },
    Redis,
    maxConcurrent: 1000,
  });
  await limiter.ready();
  const rate = await workers(pairs, () => limiter.schedule(async () => undefined));
  await limiter.disconnect();
  return rate;
}

/** CPU of this process and of Redis per operation while `work` does so many; steadier than rates on a shared machine. */
async function cpuMicros({ client }: Bench, operations: number, work: () => Promise<unknown>): Promise<number> {
  const redisMicros = async () => {
    const info = await client.info("cpu");
    const secs = (name: string) => Number(new RegExp(`${name}:([\\d.]+)`).exec(info)?.[1]);
    return 1e6 * (secs("used_cpu_user") + secs("used_cpu_sys"));
  };
  const redisBefore = await redisMicros();
  const before = process.cpuUsage();
  await work();
  const own = process.cpuUsage(before);
  return (own.user + own.system + (await redisMicros()) - redisBefore) / operations;
}

/** Runs `work` so many times, 32 at a time; how often per second. */
async function workers(count: number, work: () => Promise<void>): Promise<number> {
  let left = count;
  const startedMs = performance.now();
  const worker = async () => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: OUTSTANDING }, worker));
  return (1000 * count) / (performance.now() - startedMs);
}

function timed(count: number, run: (done: () => void) => void): Promise<number> {
  return new Promise((resolve) => {
    const startedMs = performance.now();
    let left = count;
    run(() => {
      left -= 1;
      if (left === 0) resolve((1000 * count) / (performance.now() - startedMs));
    });
  });
}

/** What Redis itself can do with this script: redis-benchmark's calls per second with 16 in each pipeline. */
function benchmarkScript(port: number, calls: number): number {
  const sha = createHash("sha1").update(scriptText("slots")).digest("hex");
  const keys = makeKeys({ prefix: "obleth", isCluster: false });
  const names = [keys.slots, keys.held(INSTANCE), keys.replicas, keys.holds, keys.sessions, keys.sessionsDue];
  const args = [INSTANCE, "1", keys.released, ...operationArguments([CLAIM]).map(String)];
  const output = execFileSync(
    "redis-benchmark",
    [
      "-p",
      String(port),
      "-P",
      "16",
      "-n",
      String(calls),
      "--csv",
      "EVALSHA",
      sha,
      String(names.length),
      ...names,
      ...args,
    ],
    { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
  );
  const rate = Number(/",?"([\d.]+)"/.exec(output.trim().split("\n").at(-1) ?? "")?.[1]);
  if (!(rate > 0)) throw new Error(`redis-benchmark said: ${output}`);
  return rate;
}
