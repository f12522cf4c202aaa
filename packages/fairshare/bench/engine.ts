/** `npm run bench -- engine`: what the engine costs, beside queues that know no fairness at all. */
import Bottleneck from "bottleneck";
import fastq from "fastq";
import PQueue from "p-queue";
import { type Figure, isNoisy, ratioFigure, valueFigure } from "../../../scripts/figure";
import { growthInDepth } from "./depth";
import { Driver } from "./driver";
import { makePeople, type Person } from "./people";
import { previews, snapshots } from "./reading";
import { alternate, collectGarbage, cpuMicros, cpuMicrosOf, growthFigure } from "./rounds";
import { sessionAffinity } from "./sessions";

export interface SuiteOptions {
  readonly quick: boolean;
}

const SLOTS = 64;

export async function runEngineBench({ quick }: SuiteOptions) {
  const rounds = quick ? 3 : 7;
  const figures: Figure[] = [
    ...(await queuedAdmissions(rounds, 50_000)),
    ...growthInTenants(quick ? 3 : 5),
    ...growthInDepth(quick ? 3 : 5),
    await freeSlot(rounds),
    await recordSize(quick ? 3 : 5),
    await snapshots(rounds),
    previews(rounds),
    await decisionLog(rounds),
    ...(await sessionAffinity(rounds)),
    ...cancelStorm(rounds),
  ];
  return { suite: "engine", figures, noisy: figures.some(isNoisy) };
}

/** Does nothing, as a promise: what every side runs. */
const task = async () => {};

/**
 * Queues all tasks at once, then runs them to the end; CPU per task in microseconds. Every side keeps its queue from
 * round to round, as a gateway keeps its engine: otherwise the round begins with the compiler, which throws away code
 * for objects that are all gone.
 */
async function queuedAdmissions(rounds: number, tasks: number): Promise<Figure[]> {
  const people = makePeople(10_000);
  const personOf = (i: number) => people[(i * 7919) % people.length] as Person;
  const driver = new Driver({}, SLOTS);
  const own = async () => {
    const micros = await cpuMicros(
      () =>
        new Promise<void>((resolve) => {
          let left = tasks;
          const start = (id: number) =>
            void task().then(() => {
              left -= 1;
              driver.release(id);
              if (left === 0) resolve();
            });
          for (let i = 0; i < tasks; i++) driver.admit(personOf(i).tenant, personOf(i).key, start);
        }),
    );
    return micros / tasks;
  };
  const pQueue = (usesPriority: boolean) => {
    const queue = new PQueue({ concurrency: SLOTS });
    return async () => {
      const micros = await cpuMicros(async () => {
        for (let i = 0; i < tasks; i++) {
          const priority = usesPriority ? (i * 7919) % 1000 : 0;
          void queue.add(task, { priority });
        }
        await queue.onIdle();
      });
      return micros / tasks;
    };
  };
  // Bottleneck takes its time: a tenth of the tasks, which is to its advantage if it grows with the queue.
  const fewer = Math.floor(tasks / 10);
  const limiter = new Bottleneck({ maxConcurrent: SLOTS });
  const bottleneck = async () => {
    const micros = await cpuMicros(async () => {
      await Promise.all(Array.from({ length: fewer }, () => limiter.schedule(task)));
    });
    return micros / fewer;
  };
  const fifo = fastq.promise(task, SLOTS);
  const fast = async () => {
    const micros = await cpuMicros(async () => {
      await Promise.all(Array.from({ length: tasks }, () => fifo.push(undefined)));
    });
    return micros / tasks;
  };
  const name = "CPU per queued admission, 10,000 tenants";
  const beside = async (other: string, side: () => Promise<number>, atMost: number, stretch: number) =>
    ratioFigure(`${name}, beside ${other}`, await alternate(rounds, own, side), { unit: "us", atMost, stretch });
  const plain = await alternate(rounds, own, fast);
  return [
    await beside("p-queue FIFO", pQueue(false), 1 / 3, 1 / 5),
    await beside("p-queue priority", pQueue(true), 1 / 4, 1 / 7),
    await beside("bottleneck", bottleneck, 1 / 70, 1 / 150),
    valueFigure("fastq, plain FIFO, per task", plain.beside, { unit: "us" }),
  ];
}

/** With two requests of every tenant waiting, one finishes and one comes; CPU of such a turn in microseconds. */
function turnCost(tenants: number, waitingEach: number, turns: number, algorithm: "hierarchical" | "weighted"): number {
  const people = makePeople(tenants);
  const driver = new Driver({ algorithm }, SLOTS);
  const running: { id: number; person: Person }[] = [];
  const ask = (person: Person) => driver.admit(person.tenant, person.key, (id) => running.push({ id, person }));
  for (let i = 0; i < waitingEach; i++) for (const person of people) ask(person);
  const turn = () => {
    const over = running.shift();
    if (over === undefined) throw new Error("somebody always runs");
    driver.release(over.id);
    ask(over.person);
  };
  for (let i = 0; i < 20_000; i++) turn();
  return (
    cpuMicrosOf(() => {
      for (let i = 0; i < turns; i++) turn();
    }) / turns
  );
}

function growthInTenants(rounds: number): Figure[] {
  const sizes = [100, 1000, 10_000, 100_000];
  return (["hierarchical", "weighted"] as const).flatMap((algorithm) => {
    const costs = new Map<number, number[]>(sizes.map((size) => [size, []]));
    for (let round = 0; round < rounds; round++) {
      for (const size of sizes) {
        collectGarbage();
        costs.get(size)?.push(turnCost(size, 2, 30_000, algorithm));
      }
    }
    const name = `growth of a turn, 100 to 100,000 tenants, ${algorithm}`;
    return [
      growthFigure(name, costs, { atMost: 0.3, stretch: 0.25 }),
      valueFigure(`  a turn at 100 tenants, ${algorithm}`, costs.get(100) ?? [], { unit: "us" }),
      valueFigure(`  a turn at 10,000 tenants, ${algorithm}`, costs.get(10_000) ?? [], { unit: "us" }),
      valueFigure(`  a turn at 100,000 tenants, ${algorithm}`, costs.get(100_000) ?? [], { unit: "us" }),
    ];
  });
}

/** The least a limit can be: a count, and a promise for the caller. */
class BareCounter {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(slots: number) {
    this.#free = slots;
  }

  acquire(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}

async function freeSlot(rounds: number): Promise<Figure> {
  const turns = 200_000;
  const person = makePeople(1)[0] as Person;
  const driver = new Driver({}, SLOTS);
  const release = (id: number) => driver.release(id);
  const counter = new BareCounter(SLOTS);
  const own = () =>
    cpuMicrosOf(() => {
      for (let i = 0; i < turns; i++) driver.admit(person.tenant, person.key, release);
    }) / turns;
  const beside = async () =>
    (await cpuMicros(async () => {
      for (let i = 0; i < turns; i++) {
        await counter.acquire();
        counter.release();
      }
    })) / turns;
  const name = "admit and release with a free slot, beside a bare counter with a promise";
  return ratioFigure(name, await alternate(rounds, own, beside), { unit: "us", atMost: 6, stretch: 3 });
}

/** Heap that each waiting request holds, in bytes. */
async function recordSize(rounds: number): Promise<Figure> {
  const waiting = 100_000;
  const people = makePeople(1000);
  const start = () => {};
  const heapOf = (fill: () => unknown) => {
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    const kept = fill();
    collectGarbage();
    const bytes = (process.memoryUsage().heapUsed - before) / waiting;
    return kept === undefined ? Number.NaN : bytes;
  };
  const own = () =>
    heapOf(() => {
      const driver = new Driver({}, 1);
      for (let i = 0; i <= waiting; i++) {
        const person = people[i % people.length] as Person;
        driver.admit(person.tenant, person.key, start);
      }
      return driver;
    });
  const beside = () =>
    heapOf(() => {
      const queue = new PQueue({ concurrency: 1 });
      const never = new Promise<void>(() => {});
      for (let i = 0; i <= waiting; i++) void queue.add(() => never);
      return queue;
    });
  const figure = await alternate(rounds, own, beside);
  return ratioFigure("heap per waiting request, beside p-queue", figure, {
    unit: "bytes",
    atMost: 0.35,
    stretch: 0.25,
  });
}

async function decisionLog(rounds: number): Promise<Figure> {
  const people = makePeople(1000);
  const make = (decisionLimit: number) => {
    const driver = new Driver({ decisionLimit }, SLOTS);
    const running: { id: number; person: Person }[] = [];
    const ask = (person: Person) => driver.admit(person.tenant, person.key, (id) => running.push({ id, person }));
    for (let i = 0; i < 2; i++) for (const person of people) ask(person);
    const turns = 60_000;
    return () =>
      cpuMicrosOf(() => {
        for (let i = 0; i < turns; i++) {
          const over = running.shift();
          if (over === undefined) throw new Error("somebody always runs");
          driver.release(over.id);
          ask(over.person);
        }
      }) / turns;
  };
  const rates = await alternate(rounds + 4, make(1024), make(0));
  return ratioFigure("decision log on, beside off", rates, { unit: "us", atMost: 1.1, stretch: 1.03 });
}

/** A hundred thousand waiting requests leave, in an order that has nothing to do with their arrival. */
function cancelStorm(rounds: number): Figure[] {
  const waiting = 100_000;
  const people = makePeople(10_000);
  const costs = Array.from({ length: rounds }, () => {
    collectGarbage();
    const driver = new Driver({}, 1);
    const ids = Array.from({ length: waiting }, (_, i) => {
      const person = people[i % people.length] as Person;
      return driver.admit(person.tenant, person.key, () => {});
    });
    const order = ids.map((_, i) => ids[(i * 7919) % ids.length] as number);
    return (
      cpuMicrosOf(() => {
        for (const id of order) driver.cancel(id);
      }) / waiting
    );
  });
  return [valueFigure("a cancel in a storm of 100,000", costs, { unit: "us" })];
}
