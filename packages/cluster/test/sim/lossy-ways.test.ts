/** What a bad way to the store does to the books while traffic goes on, and who gets in when somebody joins. */
import { describe, expect, it } from "vitest";
import type { SlotBatch } from "../../src/slots/slot-store";
import { Fleet, owner, request, type SimReplica } from "./fleet";
import type { Link } from "./store-server";

const POOL = "p|chat";
const SERVICE_MS = 100;

/** More requests than there are slots, for ever, at every replica. */
function keepBusy(fleet: Fleet, each: number): void {
  for (const replica of fleet.replicas) {
    const next = () => replica.arrive(request(SERVICE_MS), () => fleet.clock.setTimer(20, next));
    for (let i = 0; i < each; i++) next();
  }
}

/** How many are served in ten seconds. */
function rate(fleet: Fleet): number {
  const before = fleet.backend.served;
  fleet.clock.advance(10_000);
  return fleet.backend.served - before;
}

describe("releases that are lost on a way of a hundred, or two seconds late", () => {
  const releases = ({ operations }: SlotBatch) => operations.some(({ kind }) => kind === "release");

  it("lower throughput no longer than the way is bad: books are repaired although traffic never stops", () => {
    const fleet = new Fleet({ limits: { poolSize: 8 } });
    fleet.start(2);
    keepBusy(fleet, 12);
    fleet.clock.advance(1000);
    const whole = rate(fleet);
    let lost = 0;
    for (const replica of fleet.replicas) {
      replica.link.fate = (batch) => {
        const chance = releases(batch) ? fleet.rng() : 1;
        if (chance < 0.01) lost++;
        return chance < 0.01 ? "lost" : chance < 0.06 ? 2000 : 0;
      };
    }
    fleet.clock.advance(300_000);
    expect(lost).toBeGreaterThan(10);
    expect(fleet.calls.get("release unanswered") ?? 0).toBeGreaterThanOrEqual(lost);
    for (const replica of fleet.replicas) replica.link.fate = () => 0;
    // The last late call, the way back to shared slots, and a heartbeat.
    fleet.clock.advance(2000 + 2000 + 1000);
    expect(fleet.modes).toEqual(["shared", "shared"]);
    fleet.backend.resetHighest();
    expect(rate(fleet)).toBeGreaterThan(whole * 0.98);
    expect(fleet.backend.highest(POOL)).toBe(8);
  });

  it("are back on the books with the next heartbeat, long before a lost one could age out", () => {
    const fleet = new Fleet({ limits: { poolSize: 8 } });
    const [a] = fleet.start(2);
    a?.arrive(request(50));
    fleet.clock.advance(20);
    if (a !== undefined) a.link.fate = (batch) => (releases(batch) ? "lost" : 0);
    fleet.clock.advance(100);
    expect(fleet.server.table.totals.get(POOL)).toBe(1);
    expect(fleet.until(() => fleet.server.table.totals.get(POOL) === undefined, 5000)).toBeLessThan(1300);
  });
});

describe("a claim that is answered after its time", () => {
  it.each([
    ["arrives too late", (link: Link) => (link.fate = () => 400)],
    ["is granted in time, but the answer is lost", (link: Link) => (link.cut = "replies")],
    ["is lost", (link: Link) => (link.fate = () => "lost")],
  ])("(it %s) is kept or given back, once: a heartbeat later the books hold what runs", (_, spoil) => {
    const fleet = new Fleet({ limits: { poolSize: 8 } });
    const [a] = fleet.start(2);
    if (a === undefined) throw new Error("no replica");
    const booked = () => fleet.server.table.heldBy(a.name)?.get(POOL) ?? 0;
    for (const serviceMs of [60_000, 100]) {
      spoil(a.link);
      a.arrive(request(serviceMs));
      fleet.clock.advance(260);
      a.link.fate = () => 0;
      a.link.cut = "none";
      expect(fleet.until(() => a.mode === "shared", 5000)).toBeLessThan(3000);
      fleet.clock.advance(1500);
      expect(booked()).toBe(a.running);
      expect(fleet.server.table.totals.get(POOL) ?? 0).toBe(fleet.backend.running(POOL));
    }
    expect(fleet.backend.highest(POOL)).toBe(2);
    expect(a.running).toBe(1);
  });
});

describe("limits without a store", () => {
  it("are divided and rounded up for each replica: a cap of one is one at each, and no limit is ever none", () => {
    for (const [limits, each, field] of [
      [{ tenantCap: 1 }, 1, "t|chat|acme"],
      [{ keyCap: 4 }, 2, "k|chat|acme-key"],
      [{ ceiling: 5 }, 2, "g"],
      [{ poolSize: 20 }, 7, POOL],
    ] as const) {
      const fleet = new Fleet({ limits });
      fleet.start(3);
      fleet.server.stop();
      keepBusy(fleet, 20);
      fleet.clock.advance(5000);
      expect(fleet.modes).toEqual(["fallback", "fallback", "fallback"]);
      expect(fleet.backend.highest(field)).toBe(3 * each);
      for (const replica of fleet.replicas) expect(replica.running).toBeLessThanOrEqual(each);
    }
  });
});

describe("a replica that joins while a hundred wait for two slots", () => {
  it("lets nobody in beyond the two, at the moment it joins or after", () => {
    const fleet = new Fleet({ limits: { poolSize: 2 } });
    fleet.start(2);
    keepBusy(fleet, 50);
    fleet.clock.advance(500);
    const joined = fleet.add();
    for (let i = 0; i < 50; i++) joined.arrive(request(SERVICE_MS));
    fleet.clock.advance(20_000);
    expect(fleet.modes).toEqual(["shared", "shared", "shared"]);
    expect(fleet.backend.highest(POOL)).toBe(2);
    expect(joined.queued).toBeLessThan(50);
  });
});

describe("a tenant that waits at one replica while another tenant fills the pool through the other", () => {
  /** Requests that each come again as soon as they have ended, of a second more or less. @returns their waits, ms. */
  function keepComing(fleet: Fleet, at: SimReplica | undefined, tenant: string, count: number): number[] {
    const waitsMs: number[] = [];
    const next = (): void => {
      const serviceMs = 750 + 500 * fleet.rng();
      const cameMs = fleet.clock.monotonicMs();
      at?.arrive(request(serviceMs, owner("chat", tenant)), () => {
        waitsMs.push(fleet.clock.monotonicMs() - cameMs);
        fleet.clock.setTimer(serviceMs + 1, next);
      });
    };
    for (let i = 0; i < count; i++) next();
    return waitsMs;
  }

  function saturated(wayMs: number): { fleet: Fleet; slow: SimReplica | undefined } {
    const fleet = new Fleet({ withEngine: true, limits: { poolSize: 8 } });
    const [busy, slow] = fleet.start(2);
    if (slow !== undefined) slow.link.fate = () => wayMs;
    keepComing(fleet, busy, "busy", 40);
    fleet.clock.advance(5000);
    return { fleet, slow };
  }

  it.each([0, 200])("is not forgotten between its tries: alone in the queue it waits little, %i ms away", (wayMs) => {
    const { fleet, slow } = saturated(wayMs);
    const waitsMs = keepComing(fleet, slow, "denied", 1);
    fleet.clock.advance(60_000);
    expect(fleet.modes).toEqual(["shared", "shared"]);
    expect(waitsMs.length).toBeGreaterThan(25);
    // With eight slots one is free every 125 ms: the next one is its own, and then its way there and back.
    expect(Math.max(...waitsMs)).toBeLessThan(1300);
    expect(fleet.backend.highest(POOL)).toBe(8);
  });

  it("has half of the pool for as long as it has work", () => {
    const { fleet, slow } = saturated(0);
    keepComing(fleet, slow, "denied", 12);
    fleet.clock.advance(3000);
    let running = 0;
    for (let i = 0; i < 600; i++) {
      fleet.clock.advance(100);
      running += slow?.running ?? 0;
    }
    expect(running / 600).toBeGreaterThan(3.7);
    expect(running / 600).toBeLessThan(4.3);
  });

  it("with a backlog 200 ms away is served all the time, no less after a minute than at first", () => {
    const { fleet, slow } = saturated(200);
    const waitsMs = keepComing(fleet, slow, "denied", 12);
    for (let i = 0; i < 12; i++) {
      const before = waitsMs.length;
      fleet.clock.advance(5000);
      expect(waitsMs.length - before).toBeGreaterThanOrEqual(5);
    }
    expect(fleet.modes).toEqual(["shared", "shared"]);
  });
});
