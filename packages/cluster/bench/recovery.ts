/** How a fleet of real clusters behaves on a real Redis: calls per request, falling back, coming back, never too many. */
import { Redis } from "ioredis";
import { type Figure, valueFigure } from "../../../scripts/figure";
import { owner, request } from "../test/sim/fleet";
import { RealFleet } from "../test/support/real-fleet";
import { eventually, lasting, type TestRedis } from "../test/support/redis-server";

const POOL = "p|chat";

export async function recovery(redis: TestRedis, quick: boolean): Promise<Figure[]> {
  return [
    ...(await callsPerRequest(redis)),
    ...(await outages(redis, quick ? 2 : 5)),
    await tooMany(redis, quick ? 2000 : 10_000),
    ...(await heartbeatCost(redis)),
  ];
}

/** Script calls per request that need not wait, one request at a time. */
async function callsPerRequest(redis: TestRedis): Promise<Figure[]> {
  const admin = new Redis(redis.url);
  const measure = async (replicas: number): Promise<number> => {
    const fleet = new RealFleet(`calls-${replicas}`, { settings: { heartbeatSecs: 60, ttlSecs: 120 } });
    for (let i = 0; i < replicas; i++) await fleet.add({ url: redis.url });
    await eventually("all have settled", () =>
      fleet.modes.every((mode) => mode === (replicas > 1 ? "shared" : "local")),
    );
    // Heartbeats of the start are no calls of a request.
    await lasting(1000);
    await admin.config("RESETSTAT");
    const requests = 200;
    for (let i = 0; i < requests; i++) {
      fleet.replicas[0]?.replica.arrive(request(0));
      await eventually("it was served", () => fleet.backend.served === i + 1);
    }
    const stats = await admin.info("commandstats");
    await fleet.close();
    return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0) / requests;
  };
  const shared = await measure(2);
  const alone = await measure(1);
  admin.disconnect();
  return [
    valueFigure("Redis calls per request for slots, shared", [shared], { unit: "calls", atMost: 2.05 }),
    valueFigure("Redis calls per request for slots, one replica", [alone], { unit: "calls", atMost: 0 }),
  ];
}

async function outages(redis: TestRedis, rounds: number): Promise<Figure[]> {
  const fleet = new RealFleet("outages", { settings: { responseTimeoutMs: 250 } });
  for (let i = 0; i < 3; i++) await fleet.add({ url: redis.url });
  const all = (mode: string) => () => fleet.modes.every((one) => one === mode);
  await eventually("all share", all("shared"));
  const awayMs: number[] = [];
  const backMs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    redis.pause();
    const failedAt = performance.now();
    for (const { replica } of fleet.replicas) replica.arrive(request(1));
    await eventually("all have fallen back", all("fallback"));
    awayMs.push(performance.now() - failedAt);
    await lasting(1500 + Math.random() * 1000);
    redis.resume();
    const backAt = performance.now();
    await eventually("all share again", all("shared"));
    backMs.push(performance.now() - backAt);
  }
  await fleet.close();
  return [
    // The clock of this figure ticks every 10 ms; the timeout itself is 250.
    valueFigure("fallback after Redis hangs, three replicas with a request each", awayMs, { unit: "ms", atMost: 300 }),
    valueFigure("all share again after Redis returns", backMs, { unit: "ms", atMost: 2000 }),
  ];
}

async function tooMany(redis: TestRedis, requests: number): Promise<Figure> {
  const fleet = new RealFleet("too-many", { settings: { responseTimeoutMs: 250 } });
  let over = 0;
  fleet.backend.onStart = (_, runningOf) => {
    if (runningOf(POOL) > fleet.limits.poolSize) over++;
  };
  for (let i = 0; i < 4; i++) await fleet.add({ url: redis.url });
  await eventually("all share", () => fleet.modes.every((mode) => mode === "shared"));
  let left = requests;
  for (const { replica } of fleet.replicas) {
    const next = () => {
      if (left-- > 0) replica.arrive(request(Math.random() * 15), () => setTimeout(next, 1));
    };
    for (let i = 0; i < 15; i++) next();
  }
  await eventually("all were served", () => fleet.backend.served >= requests, 120_000);
  await fleet.close();
  return valueFigure(`admissions above 20 slots, 4 replicas, ${requests} requests`, [over], { unit: "", atMost: 0 });
}

/** What a heartbeat costs Redis when 200 pools are busy with 50 tenants each. */
async function heartbeatCost(redis: TestRedis): Promise<Figure[]> {
  const fleet = new RealFleet("beats", { settings: { heartbeatSecs: 1, ttlSecs: 3 }, limits: { ceiling: 1e6 } });
  for (let i = 0; i < 2; i++) await fleet.add({ url: redis.url });
  await eventually("both share", () => fleet.modes.every((mode) => mode === "shared"));
  for (let i = 0; i < 4000; i++) {
    const who = owner(`model-${i % 200}`, `tenant-${i}`);
    fleet.replicas[i % 2]?.replica.arrive(request(60_000, who));
    if (i % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await eventually("all run", () => fleet.backend.running() === 4000, 60_000);
  const admin = new Redis(redis.url);
  await admin.config("RESETSTAT");
  await admin.config("SET", "slowlog-log-slower-than", "0");
  await admin.config("SET", "slowlog-max-len", "100");
  await lasting(3500);
  const log = await admin.slowlog("GET", "100");
  const micros = (log as [number, number, number, string[]][])
    .filter(
      ([, , , command]) =>
        command[0]?.toLowerCase() === "evalsha" &&
        (command.length > 100 || command.some((part) => part.includes("more arguments"))),
    )
    .map(([, , tookMicros]) => tookMicros / 1000);
  await admin.config("SET", "slowlog-log-slower-than", "10000");
  admin.disconnect();
  await fleet.close();
  return micros.length === 0
    ? []
    : [valueFigure("a heartbeat in Redis with 200 pools and 4,000 tenants running", micros, { unit: "ms" })];
}
