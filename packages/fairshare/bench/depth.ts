/**
 * How the cost of a turn grows with the number of requests that wait: one finishes, one comes, one leaves from
 * somewhere in the queue, one comes. The queue is as long after each turn as before it.
 */
import { type Figure, valueFigure } from "../../../scripts/figure";
import { Driver } from "./driver";
import { makePeople, type Person } from "./people";
import { collectGarbage, cpuMicrosOf, growthFigure } from "./rounds";

const SLOTS = 64;
const TENANTS = 100;
const WARM_UP = 20_000;
const TURNS = 60_000;
const SIZES = [1000, 10_000, 100_000];

export function growthInDepth(rounds: number): Figure[] {
  const leavers = new Map(SIZES.map((size) => [size, drawLeavers(size)]));
  const costs = new Map<number, number[]>(SIZES.map((size) => [size, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [size, ids] of leavers) {
      collectGarbage();
      costs.get(size)?.push(turnCost(size, ids));
    }
  }
  return [
    growthFigure("growth of a turn with a cancel, 1,000 to 100,000 waiting", costs, { atMost: 0.1, stretch: 0.05 }),
    ...SIZES.map((size) =>
      valueFigure(`  a turn with a cancel at ${size.toLocaleString("en")} waiting`, costs.get(size) ?? [], {
        unit: "us",
      }),
    ),
  ];
}

/** An engine with `waiting` requests in the queue and all slots in use. */
class FullPool {
  readonly #people = makePeople(TENANTS);
  readonly #driver = new Driver({}, SLOTS);
  readonly #running: number[] = [];
  readonly #start: (id: number) => void;
  #asked = 0;

  /** `started` is told the number of each request that gets a slot. */
  constructor(waiting: number, started: (id: number) => void = () => {}) {
    this.#start = (id) => {
      this.#running.push(id);
      started(id);
    };
    for (let i = 0; i < waiting + SLOTS; i++) this.ask();
  }

  get waiting(): number {
    return this.#driver.state.queued;
  }

  /** One more request, its number one above the one before. */
  ask(): number {
    const { tenant, key } = this.#people[this.#asked % TENANTS] as Person;
    this.#asked += 1;
    return this.#driver.admit(tenant, key, this.#start);
  }

  finishOldest(): void {
    const over = this.#running.shift();
    if (over !== undefined) this.#driver.release(over);
  }

  cancel(id: number): void {
    this.#driver.cancel(id);
  }
}

/**
 * Who leaves at each turn, drawn by playing the same turns once before: keeping account of who waits, in an order that
 * wanders over the whole queue, would otherwise be measured with the engine.
 */
function drawLeavers(waiting: number): Int32Array {
  const turns = WARM_UP + TURNS;
  const isGone = new Uint8Array(waiting + SLOTS + 2 * turns + 1);
  const pool = new FullPool(waiting, (id) => {
    isGone[id] = 1;
  });
  const known = Array.from({ length: waiting + SLOTS }, (_, i) => i + 1);
  const leavers = new Int32Array(turns);
  let place = 0;
  const drawOne = () => {
    for (;;) {
      place = (place + 7919) % known.length;
      const drawn = known[place] as number;
      known[place] = known[known.length - 1] as number;
      known.pop();
      if (isGone[drawn] === 0) return drawn;
    }
  };
  for (let turn = 0; turn < turns; turn++) {
    pool.finishOldest();
    known.push(pool.ask());
    const leaver = drawOne();
    isGone[leaver] = 1;
    leavers[turn] = leaver;
    pool.cancel(leaver);
    known.push(pool.ask());
  }
  return leavers;
}

/** CPU of a turn in microseconds. */
function turnCost(waiting: number, leavers: Int32Array): number {
  const pool = new FullPool(waiting);
  const turn = (leaver: number) => {
    pool.finishOldest();
    pool.ask();
    pool.cancel(leaver);
    pool.ask();
  };
  for (let i = 0; i < WARM_UP; i++) turn(leavers[i] as number);
  const micros = cpuMicrosOf(() => {
    for (let i = WARM_UP; i < leavers.length; i++) turn(leavers[i] as number);
  });
  if (pool.waiting !== waiting) throw new Error(`${pool.waiting} wait where ${waiting} were to`);
  return micros / TURNS;
}
