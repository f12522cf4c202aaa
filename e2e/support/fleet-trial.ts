/** One pool of a fleet under load with the judge beside it: what the tests of fleets have in common. */
import { expect, test } from "@playwright/test";
import { BalancedLoad, type BalancedLoadOptions } from "./balanced-load";
import { type Books, booksOf } from "./books";
import { Fleet, type FleetOptions, type Gateway, HEARTBEAT_SECS, REPLICA_TTL_SECS } from "./fleet";
import { judge } from "./limit-judge";
import type { ModeChange, Trial, Verdict } from "./limit-trial";
import type { Load } from "./load";
import type { RedisProcess } from "./redis-process";
import { standingRequests } from "./standing-requests";
import { VisitLog } from "./visit-log";
import type { Ways } from "./ways";

export const MODEL = "shared-model";
/** Longest time to share again after Redis is back. */
const BACK_MS = 2000;

export class FleetTrial {
  #load: BalancedLoad | undefined;
  #standing: Load | undefined;
  #log: VisitLog | undefined;
  #ways: Ways | undefined;

  private constructor(
    readonly fleet: Fleet,
    readonly slots: number,
    private readonly secret: string,
  ) {}

  static async start(options: FleetOptions, slots = 20): Promise<FleetTrial> {
    const fleet = await Fleet.start(options);
    const secret = await fleet.prepare({ model: MODEL, slots, tenant: "chatbot" });
    await fleet.simulator.set({ knee: 1000 });
    return new FleetTrial(fleet, slots, secret);
  }

  /** Before each test: everybody shares, and the record is new. */
  async begin(): Promise<void> {
    await this.allShare();
    this.#log = await VisitLog.begin(this.fleet.simulator, MODEL);
    this.#ways = this.fleet.measureWays();
  }

  /** After each test. */
  async end(): Promise<void> {
    await this.#standing?.stop();
    await this.#load?.stop();
    this.#standing = undefined;
    this.#load = undefined;
    this.#log?.end();
    this.#ways?.end();
  }

  get load(): BalancedLoad {
    if (this.#load === undefined) throw new Error("no load was started");
    return this.#load;
  }

  /** More clients than slots, over all gateways unless told otherwise. */
  startLoad(over: Partial<BalancedLoadOptions> = {}, targets = this.fleet.gateways): BalancedLoad {
    this.#load = new BalancedLoad(targets, {
      secret: this.secret,
      model: MODEL,
      clients: 3 * this.slots,
      answerTokens: () => 5 + Math.random() * 30,
      thinkMs: () => Math.random() * 100,
      ...over,
    });
    return this.#load;
  }

  /** The same, once every slot is in use. */
  async full(): Promise<BalancedLoad> {
    const started = this.startLoad();
    await expect.poll(() => this.running(), { intervals: [20] }).toBeGreaterThanOrEqual(this.slots);
    return started;
  }

  /** Requests that this gateway is given and that stay until the test ends: it has these slots, whatever else happens. */
  async occupy(gateway: Gateway, requests: number): Promise<void> {
    const before = await this.running();
    this.#standing = standingRequests({
      url: gateway.proxyUrl,
      model: MODEL,
      secret: this.secret,
      requests,
      marker: gateway.name,
    });
    await expect.poll(() => this.running(), { intervals: [20] }).toBeGreaterThanOrEqual(before + requests);
  }

  /** Requests go on being answered. */
  async goesOn(count = 40): Promise<void> {
    const before = this.load.answered;
    await expect.poll(() => this.load.answered, { timeout: 20_000 }).toBeGreaterThan(before + count);
  }

  async running(): Promise<number> {
    return (await this.fleet.simulator.state()).models[MODEL]?.running ?? 0;
  }

  /** When these gateways first had all slots between them after that, by the backend's record; Infinity for not yet. */
  async fullAtMs(gateways: readonly Gateway[], afterMs: number): Promise<number> {
    const names = gateways.map(({ name }) => name);
    const visits = ((await this.#log?.visits()) ?? []).filter(({ marker }) => names.includes(marker));
    const full = visits.find(
      ({ fromMs }) =>
        fromMs > afterMs && visits.filter((one) => one.fromMs <= fromMs && one.toMs > fromMs).length >= this.slots,
    );
    return full?.fromMs ?? Number.POSITIVE_INFINITY;
  }

  /** Each mode that some gateway is in. */
  async modes(): Promise<string[]> {
    return [...new Set(await this.fleet.modes())];
  }

  async allShare(): Promise<void> {
    await expect.poll(() => this.modes(), { timeout: 20_000, intervals: [50] }).toEqual(["shared"]);
  }

  /** Each has been on its own since then, by its own record: for a moment at least, which need not be the same for all. */
  async allFallBack(sinceMs: number): Promise<void> {
    const waiting = async () => {
      const changes = await this.fleet.modeChanges();
      const wasAlone = (of: readonly ModeChange[]) =>
        of.some(({ mode }, i) => mode === "fallback" && (of[i + 1]?.atMs ?? Number.POSITIVE_INFINITY) > sinceMs);
      return this.fleet.gateways.map(({ name }) => name).filter((name) => !wasAlone(changes.get(name) ?? []));
    };
    await expect.poll(waiting, { timeout: 20_000, intervals: [20] }).toEqual([]);
  }

  books(redis: RedisProcess = this.fleet.redis): Promise<Books> {
    return booksOf(redis, this.fleet.arrangement.prefix);
  }

  /** `sharers`: fewest gateways that the slots were divided over, should Redis have been late meanwhile. */
  async verdict(...how: Parameters<FleetTrial["record"]>): Promise<Verdict> {
    return judge(await this.record(...how));
  }

  async record(over: Pick<Trial, "outages" | "stalls"> = {}, sharers = this.fleet.gateways.length): Promise<Trial> {
    return {
      visits: (await this.#log?.visits()) ?? [],
      gateways: await this.fleet.modeChanges(),
      slots: this.slots,
      part: Math.ceil(this.slots / sharers),
      heartbeatMs: HEARTBEAT_SECS * 1000,
      ttlMs: REPLICA_TTL_SECS * 1000,
      longestWayMs: this.#ways?.longestMs(over.stalls) ?? 0,
      ...over,
    };
  }

  async expectRulesKept(...how: Parameters<FleetTrial["verdict"]>): Promise<void> {
    const record = await this.record(...how);
    const { faults } = judge(record);
    if (faults.length > 0) {
      const body = JSON.stringify({ ...record, gateways: [...record.gateways] });
      await test.info().attach("what was judged", { body, contentType: "application/json" });
    }
    expect(faults).toEqual([]);
  }

  /** After the last answer the books are empty, and add up. */
  async expectNothingLeft(redis: RedisProcess = this.fleet.redis): Promise<void> {
    await this.load.stop();
    expect(this.load.errors).toEqual([]);
    await expect.poll(() => this.books(redis), { timeout: 10_000 }).toEqual({ totals: {}, parts: {} });
  }

  /** Breaks Redis under load for a while; everybody falls back, goes on, and shares again soon after. */
  async survivesOutage(
    breaks: () => Promise<void> | void,
    mends: () => Promise<void> | void,
    backMs = BACK_MS,
  ): Promise<void> {
    await this.full();
    const allowanceMs = await this.fleet.allowanceMs();
    const fromMs = Date.now();
    await breaks();
    await this.allFallBack(fromMs);
    await this.goesOn();
    await mends();
    const mendedMs = Date.now();
    await this.allShare();
    expect(Date.now() - mendedMs).toBeLessThan(backMs + allowanceMs);
    await this.goesOn();
    await this.expectRulesKept({ outages: [{ fromMs, toMs: mendedMs }] });
    await this.expectNothingLeft();
  }

  /** Kills the Redis with the books under load; its replica takes over, and nobody's request fails. */
  async survivesFailover(): Promise<void> {
    const { redis, arrangement } = this.fleet;
    await this.full();
    const fromMs = Date.now();
    await redis.kill();
    await this.allFallBack(fromMs);
    await this.goesOn();
    await this.allShare();
    const toMs = Date.now();
    await this.goesOn();
    await this.expectRulesKept({ outages: [{ fromMs, toMs }] });
    await this.expectNothingLeft(arrangement.replica);
  }

  stop(): Promise<void> {
    return this.fleet.stop();
  }
}

/**
 * One trial for all tests of a file, which then run in their order: started before the first, with a new record in each.
 * @returns what gives it inside a test.
 */
export function fleetTrialForTests(options: FleetOptions, slots?: number): () => FleetTrial {
  let trial: FleetTrial | undefined;
  const started = (): FleetTrial => {
    if (trial === undefined) throw new Error("the fleet starts before the first test");
    return trial;
  };
  test.describe.configure({ mode: "serial" });
  test.beforeAll(async () => {
    trial = await FleetTrial.start(options, slots);
  });
  test.beforeEach(() => started().begin());
  test.afterEach(() => started().end());
  test.afterAll(() => trial?.stop());
  return started;
}
