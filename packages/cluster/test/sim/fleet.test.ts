/** The situations that must come out right, on virtual time: what several replicas do together and when things break. */
import { describe, expect, it } from "vitest";
import { Fleet, owner, type SimReplica as Replica, request } from "./fleet";

const POOL = "p|chat";

function flood(replicas: readonly Replica[], count: number, serviceMs: number, who = owner()): void {
  for (let i = 0; i < count; i++) replicas[i % replicas.length]?.arrive(request(serviceMs, who));
}

describe("a fleet with shared slots", () => {
  it("counts together once every replica has started", () => {
    const fleet = new Fleet();
    fleet.start(3);
    expect(fleet.modes).toEqual(["shared", "shared", "shared"]);
    expect(fleet.replicas.every((replica) => replica.isDecided)).toBe(true);
  });

  it("admits 20 requests that all land on one of three replicas, and makes the 21st wait on any of them", () => {
    const fleet = new Fleet();
    const [a, b, c] = fleet.start(3) as [Replica, Replica, Replica];
    flood([a], 20, 60_000);
    fleet.clock.advance(50);
    expect(a.running).toBe(20);
    for (const replica of [a, b, c]) replica.arrive(request(10));
    fleet.clock.advance(5000);
    expect(fleet.backend.highest(POOL)).toBe(20);
    expect(fleet.replicas.map((replica) => replica.queued)).toEqual([1, 1, 1]);
  });

  it("holds a tenant to its cap over the fleet without holding up another", () => {
    const fleet = new Fleet({ limits: { tenantCap: 4 } });
    const [a, b] = fleet.start(2) as [Replica, Replica];
    flood([a, b], 10, 60_000, owner("chat", "capped"));
    fleet.clock.advance(100);
    expect(fleet.backend.running("t|chat|capped")).toBe(4);
    b.arrive(request(1000, owner("embed", "other")));
    fleet.clock.advance(10);
    expect(fleet.backend.running("p|embed")).toBe(1);
    expect(fleet.backend.highest("t|chat|capped")).toBe(4);
  });

  it("holds a key to its cap over the fleet", () => {
    const fleet = new Fleet({ limits: { keyCap: 2 } });
    const replicas = fleet.start(3);
    flood(replicas, 9, 60_000);
    fleet.clock.advance(1000);
    expect(fleet.backend.highest("k|chat|acme-key")).toBe(2);
  });

  it("admits exactly one when a ceiling of 3 over three pools frees one slot and a request waits on each replica", () => {
    const fleet = new Fleet({ limits: { ceiling: 3 } });
    const [a, b] = fleet.start(2) as [Replica, Replica];
    a.arrive(request(5000, owner("one")));
    a.arrive(request(60_000, owner("two")));
    b.arrive(request(60_000, owner("three")));
    fleet.clock.advance(100);
    a.arrive(request(60_000, owner("two")));
    b.arrive(request(60_000, owner("three")));
    fleet.clock.advance(6000);
    expect(fleet.backend.running()).toBe(3);
    expect(fleet.backend.highest()).toBe(3);
    expect(a.queued + b.queued).toBe(1);
  });

  it("serves 80 requests from 4 replicas over 5 slots with a peak of exactly 5, and ends with empty books", () => {
    const fleet = new Fleet({ limits: { poolSize: 5 } });
    flood(fleet.start(4), 80, 40);
    expect(fleet.until(() => fleet.backend.served === 80, 20_000)).toBeLessThan(5000);
    fleet.clock.advance(100);
    expect(fleet.backend.highest(POOL)).toBe(5);
    expect([...fleet.server.table.totals]).toEqual([]);
  });

  it("wakes a waiter elsewhere well before its own retry when a slot is released", () => {
    const fleet = new Fleet({ limits: { poolSize: 1 } });
    const [a, b] = fleet.start(2) as [Replica, Replica];
    a.arrive(request(1000));
    fleet.clock.advance(100);
    let startedMs = 0;
    b.arrive(request(10), () => {
      startedMs = fleet.clock.monotonicMs();
    });
    const releasedMs = fleet.clock.monotonicMs() + 900;
    fleet.clock.advance(2000);
    expect(startedMs - releasedMs).toBeGreaterThan(-20);
    expect(startedMs - releasedMs).toBeLessThan(10);
  });

  it("admits within 250 ms and a round trip when the announcement is lost", () => {
    const fleet = new Fleet({ limits: { poolSize: 1 } });
    const [a, b] = fleet.start(2) as [Replica, Replica];
    fleet.server.losesAnnouncements = true;
    a.arrive(request(1000));
    fleet.clock.advance(100);
    b.arrive(request(10));
    fleet.clock.advance(895);
    expect(fleet.until(() => b.running === 1, 1000)).toBeLessThanOrEqual(255 + 10);
  });

  it.each([
    ["on as short a way", 0],
    ["on a way of 100 ms there and back", 50],
  ])(
    "gives a replica that waits elsewhere its turn although another frees and claims in the same moment, %s",
    (_, ms) => {
      const fleet = new Fleet({ limits: { poolSize: 8 } });
      const [a, b] = fleet.start(2) as [Replica, Replica];
      b.link.extraMs = ms;
      for (let i = 0; i < 400; i++) a.arrive(request(500, owner("chat", "busy")));
      fleet.clock.advance(750);
      let waitedFromMs = fleet.clock.monotonicMs();
      const waits: number[] = [];
      const next = () => {
        waits.push(fleet.clock.monotonicMs() - waitedFromMs);
        fleet.clock.setTimer(500, () => {
          waitedFromMs = fleet.clock.monotonicMs();
          b.arrive(request(500, owner("chat", "single")), next);
        });
      };
      b.arrive(request(500, owner("chat", "single")), next);
      fleet.clock.advance(15_000);
      expect(waits.length).toBeGreaterThan(10);
      expect(Math.max(...waits)).toBeLessThan(3 * 500);
    },
  );

  it("C19 decides the same when the replicas' clocks are an hour off, to either side", () => {
    const story = (skewMs: number) => {
      const fleet = new Fleet({ skewMs, affinity: { holdMs: 300, maxHeld: 4, maxJumps: 2 } });
      const replicas = fleet.start(3);
      flood(replicas, 200, 80);
      fleet.clock.advance(700);
      replicas[1]?.crash();
      fleet.server.pause();
      fleet.clock.advance(1500);
      fleet.server.resume();
      fleet.clock.advance(20_000);
      return { served: fleet.backend.served, calls: [...fleet.calls], modes: replicas.map((replica) => replica.modes) };
    };
    expect(story(3_600_000)).toEqual(story(0));
    expect(story(0).served).toBeGreaterThan(150);
  });

  it("asks the store nothing about slots while it is alone", () => {
    const fleet = new Fleet({ limits: { poolSize: 5 } });
    const [a] = fleet.start(1) as [Replica];
    flood([a], 50, 40);
    fleet.clock.advance(3000);
    expect(a.mode).toBe("local");
    expect(fleet.backend.served).toBe(50);
    expect(fleet.backend.highest(POOL)).toBe(5);
    expect(fleet.links[0]?.operations).toBe(0);
  });

  it("needs two calls for a request that need not wait, fewer when requests share a tick", () => {
    const fleet = new Fleet();
    const [a] = fleet.start(2) as [Replica, Replica];
    const before = fleet.links[0]?.calls ?? 0;
    a.arrive(request(10));
    fleet.clock.advance(20);
    expect((fleet.links[0]?.calls ?? 0) - before).toBe(2);
    flood([a], 10, 10);
    fleet.clock.advance(60);
    expect(fleet.backend.served).toBe(11);
    expect((fleet.links[0]?.calls ?? 0) - before - 2).toBeLessThanOrEqual(10);
  });
});

describe("sessions on several replicas", () => {
  const session = (name: string) => name as ReturnType<typeof request>["session"];

  it("take their held slot on whichever replica the next step reaches", () => {
    const fleet = new Fleet({
      withEngine: true,
      limits: { poolSize: 4 },
      affinity: { holdMs: 3000, maxHeld: 1, maxJumps: 8 },
    });
    const replicas = fleet.start(3);
    for (const replica of replicas) {
      const next = () => replica.arrive(request(400, owner("chat", "crowd")), () => fleet.clock.setTimer(1, next));
      for (let i = 0; i < 4; i++) next();
    }
    fleet.clock.advance(1000);
    const waits: number[] = [];
    const step = (i: number) => {
      if (i === 60) return;
      const arrivedMs = fleet.clock.monotonicMs();
      replicas[i % 3]?.arrive({ ...request(300, owner("chat", "agent")), session: session("one") }, () => {
        waits.push(fleet.clock.monotonicMs() - arrivedMs);
        fleet.clock.setTimer(300 + 200, () => step(i + 1));
      });
    };
    step(0);
    fleet.until(() => waits.length === 60, 120_000);
    expect(waits).toHaveLength(60);
    expect(fleet.calls.get("claim redeemed") ?? 0).toBeGreaterThanOrEqual(40);
    expect(waits.filter((ms) => ms < 10).length).toBeGreaterThanOrEqual(40);
  });

  it("at a person's pace hold nothing", () => {
    const fleet = new Fleet({
      withEngine: true,
      limits: { poolSize: 4 },
      affinity: { holdMs: 3000, maxHeld: 1, maxJumps: 8 },
    });
    const replicas = fleet.start(3);
    for (let i = 0; i < 10; i++) {
      replicas[i % 3]?.arrive({ ...request(300), session: session("person") });
      fleet.clock.advance(30_000);
    }
    expect(fleet.calls.get("hold held") ?? 0).toBe(0);
    expect(fleet.calls.get("hold freed")).toBe(10);
    expect([...fleet.server.table.totals]).toEqual([]);
  });

  it("that never stop cannot keep out a request without a session on another replica", () => {
    const fleet = new Fleet({
      withEngine: true,
      limits: { poolSize: 2 },
      affinity: { holdMs: 3000, maxHeld: 2, maxJumps: 8 },
    });
    const [a, b] = fleet.start(2) as [Replica, Replica];
    for (let s = 0; s < 10; s++) {
      const step = () => {
        const chatty = { ...request(300), session: session(`chatty-${s}`) };
        a.arrive(chatty, () => fleet.clock.setTimer(350, step));
      };
      step();
    }
    fleet.clock.advance(5000);
    const waits: number[] = [];
    for (let i = 0; i < 5; i++) {
      const arrivedMs = fleet.clock.monotonicMs();
      b.arrive(request(300), () => waits.push(fleet.clock.monotonicMs() - arrivedMs));
      fleet.until(() => waits.length > i, 30_000);
      fleet.clock.advance(700);
    }
    expect(waits).toHaveLength(5);
    // Nine steps at the most pass it before a hold is refused, at 300 to 350 ms each.
    expect(Math.max(...waits)).toBeLessThan(9 * 350);
  });

  it("leave nothing behind in the books when nobody comes any more", () => {
    const fleet = new Fleet({
      withEngine: true,
      limits: { poolSize: 50 },
      settings: { heartbeatMs: 1000 },
      affinity: { holdMs: 500, maxHeld: 10, maxJumps: 8 },
    });
    const replicas = fleet.start(2);
    for (let i = 0; i < 2000; i++) {
      replicas[i % 2]?.arrive({ ...request(20), session: session(`one-shot-${i}`) });
      if (i % 20 === 0) fleet.clock.advance(20);
    }
    fleet.clock.advance(2000);
    expect(fleet.server.table.sessions.size).toBeGreaterThan(0);
    fleet.clock.advance(63_000);
    expect(fleet.server.table.sessions.size).toBe(0);
    expect(fleet.server.table.holds.size).toBe(0);
    expect([...fleet.server.table.totals]).toEqual([]);
  });
});

describe("replicas that come and go", () => {
  it("puts what one replica runs on the books before a second one claims", () => {
    const fleet = new Fleet();
    const [a] = fleet.start(1) as [Replica];
    flood([a], 20, 30_000);
    fleet.clock.advance(5);
    const b = fleet.add();
    for (let i = 0; i < 10; i++) b.arrive(request(100));
    fleet.clock.advance(10_000);
    expect(fleet.modes).toEqual(["shared", "shared"]);
    expect(fleet.backend.highest(POOL)).toBe(20);
    expect(fleet.server.table.heldBy("replica-1")?.get("g")).toBe(20);
  });

  it("goes back to local when the other one leaves, and gives its slots back at once", () => {
    const fleet = new Fleet();
    const [a, b] = fleet.start(2) as [Replica, Replica];
    b.arrive(request(500));
    fleet.clock.advance(10);
    b.shutDown();
    expect(fleet.until(() => a.mode === "local", 2000)).toBeLessThan(1000);
    expect([...fleet.server.table.replicas.keys()]).toEqual(["replica-1"]);
    expect([...fleet.server.table.totals]).toEqual([]);
  });

  it("takes a killed replica's slots back after its expiry and one heartbeat, and not before it expires", () => {
    const fleet = new Fleet({ limits: { poolSize: 4 } });
    const [a, b, c] = fleet.start(3) as [Replica, Replica, Replica];
    flood([a], 4, 3_600_000);
    fleet.clock.advance(20);
    const killedMs = fleet.clock.monotonicMs();
    a.crash();
    flood([b, c], 4, 60_000);
    const freeMs = fleet.until(() => fleet.backend.running(POOL) === 4, 10_000);
    const lastBeatMs = killedMs - 1000;
    expect(killedMs + freeMs).toBeGreaterThanOrEqual(lastBeatMs + 3000);
    expect(freeMs).toBeLessThanOrEqual(3000 + 1000 + 300);
  });

  it("ignores a release that comes after its slots were reclaimed, and lets its replica back in only reconciled", () => {
    const fleet = new Fleet({ limits: { poolSize: 4 } });
    const [a, b] = fleet.start(2) as [Replica, Replica];
    flood([a], 4, 6000);
    fleet.clock.advance(20);
    const [linkA] = fleet.links;
    if (linkA === undefined) throw new Error("no link");
    linkA.cut = "requests";
    fleet.clock.advance(4500);
    expect(b.mode).toBe("local");
    linkA.cut = "none";
    fleet.clock.advance(3500);
    expect(fleet.modes).toEqual(["shared", "shared"]);
    fleet.clock.advance(2000);
    expect([...fleet.server.table.totals]).toEqual([]);
  });

  it("keeps the last count of replicas while heartbeats fail", () => {
    const fleet = new Fleet();
    const replicas = fleet.start(3);
    fleet.server.stop();
    fleet.clock.advance(60_000);
    for (const { slots } of replicas) expect(slots.state).toEqual({ mode: "fallback", replicas: 3, divisor: 3 });
  });

  it("counts as one when heartbeats fail from the start, and finds the others later", () => {
    const fleet = new Fleet();
    fleet.server.stop();
    const [a, b] = fleet.start(2) as [Replica, Replica];
    expect(fleet.modes).toEqual(["local", "local"]);
    expect(a.isDecided && b.isDecided).toBe(true);
    fleet.server.resume();
    expect(fleet.until(() => fleet.modes.every((mode) => mode === "shared"), 5000)).toBeLessThan(3500);
  });
});

describe("a store that fails", () => {
  it.each([
    ["stops", (fleet: Fleet) => fleet.server.stop(), (fleet: Fleet) => fleet.server.resume(true)],
    ["hangs", (fleet: Fleet) => fleet.server.pause(), (fleet: Fleet) => fleet.server.resume()],
    ["restarts without stopping", (fleet: Fleet) => fleet.server.table.flush(), () => undefined],
  ])(
    "that %s fails no request: the split holds meanwhile, and slots are shared again within two seconds",
    (_, fail, mend) => {
      const fleet = new Fleet();
      const replicas = fleet.start(3);
      flood(replicas, 600, 400);
      fleet.clock.advance(2000);
      expect(fleet.backend.running(POOL)).toBe(20);
      const failedMs = fleet.clock.monotonicMs();
      fail(fleet);
      const atEntry = replicas.map((replica) => replica.running);
      fleet.clock.advance(300);
      if (_ !== "restarts without stopping") {
        expect(fleet.modes).toEqual(["fallback", "fallback", "fallback"]);
        for (const replica of replicas) expect(replica.modes.at(-1)?.atMs).toBeLessThanOrEqual(failedMs + 400 + 251);
      }
      let worst = 0;
      for (let i = 0; i < 6000; i++) {
        fleet.clock.advance(1);
        worst = Math.max(worst, fleet.backend.running(POOL));
      }
      expect(worst).toBeLessThanOrEqual(atEntry.reduce((sum, running) => sum + Math.max(7, running), 0));
      mend(fleet);
      expect(fleet.until(() => fleet.modes.every((mode) => mode === "shared"), 5000)).toBeLessThanOrEqual(2050);
      fleet.until(() => fleet.backend.running(POOL) <= 20, 2000);
      fleet.backend.resetHighest();
      expect(fleet.until(() => fleet.backend.served === 600, 60_000)).toBeLessThan(30_000);
      expect(fleet.backend.highest(POOL)).toBeLessThanOrEqual(20);
      fleet.clock.advance(1500);
      expect([...fleet.server.table.totals]).toEqual([]);
    },
  );

  it("serves the request whose claim failed, under the split", () => {
    const fleet = new Fleet();
    const [a] = fleet.start(2) as [Replica, Replica];
    fleet.server.pause();
    a.arrive(request(10_000));
    expect(fleet.until(() => a.running === 1, 1000)).toBeLessThanOrEqual(252);
    expect(a.unavailable).toBe(1);
  });

  it("tells a store whose answers alone are late what the split admits, so that the others make room at once", () => {
    const fleet = new Fleet({ limits: { poolSize: 8 } });
    const [a, b] = fleet.start(2) as [Replica, Replica];
    flood([b], 1000, 50);
    fleet.clock.advance(20);
    expect(b.running).toBe(8);
    a.link.cut = "replies";
    flood([a], 8, 60_000);
    expect(fleet.until(() => a.running === 4, 1000)).toBeLessThanOrEqual(252);
    expect(fleet.until(() => fleet.backend.running(POOL) === 8, 1000)).toBeLessThanOrEqual(55);
    fleet.backend.resetHighest();
    fleet.clock.advance(2000);
    expect(fleet.modes).toEqual(["fallback", "shared"]);
    expect(fleet.backend.highest(POOL)).toBe(8);
    expect(b.running).toBe(4);
  });

  it("asks a silent store once a second and nothing else", () => {
    const fleet = new Fleet();
    const [a] = fleet.start(2) as [Replica, Replica];
    fleet.server.pause();
    a.arrive(request(10));
    fleet.clock.advance(1000);
    const before = fleet.links[0]?.calls ?? 0;
    flood([a], 150, 5);
    fleet.clock.advance(10_000);
    expect((fleet.links[0]?.calls ?? 0) - before).toBeLessThanOrEqual(10);
  });

  it("repairs three phantom slots at the next heartbeat", () => {
    const fleet = new Fleet({ limits: { poolSize: 5 } });
    const [a, b] = fleet.start(2) as [Replica, Replica];
    fleet.server.table.corrupt(POOL, 3);
    fleet.server.table.corrupt("g", 3);
    flood([a, b], 5, 60_000);
    expect(fleet.until(() => fleet.backend.running(POOL) === 5, 3000)).toBeLessThan(1300);
    expect([...a.repairs, ...b.repairs].map((repair) => repair.totalDrift)).toContain(3);
  });

  it("does not flap while answers take about as long as the timeout, and recovers when they are quick again", () => {
    let isSlow = false;
    const fleet = new Fleet({ latencyMs: (rng) => (isSlow ? 100 + rng() * 50 : 0.5) });
    const replicas = fleet.start(3);
    for (const replica of replicas) {
      const keepBusy = () => replica.arrive(request(200 + fleet.rng() * 300), () => fleet.clock.setTimer(50, keepBusy));
      for (let i = 0; i < 20; i++) keepBusy();
    }
    fleet.clock.advance(1000);
    isSlow = true;
    fleet.clock.advance(500);
    for (const replica of replicas) replica.modes.length = 0;
    fleet.clock.advance(60_000);
    for (const replica of replicas) expect(replica.modes.length).toBeLessThanOrEqual(15);
    isSlow = false;
    expect(fleet.until(() => fleet.modes.every((mode) => mode === "shared"), 5000)).toBeLessThanOrEqual(2300);
  });

  it.each([10_000, -3_600_000])(
    "whose clock steps by %i ms is exact again within seconds, and nothing stays counted twice or dead",
    (stepMs) => {
      const fleet = new Fleet({ affinity: { holdMs: 300, maxHeld: 4, maxJumps: 2 } });
      const replicas = fleet.start(3);
      const keepBusy = (replica: Replica) => {
        const next = () => replica.arrive(request(50 + fleet.rng() * 100), () => fleet.clock.setTimer(20, next));
        for (let i = 0; i < 12; i++) next();
      };
      for (const replica of replicas) keepBusy(replica);
      fleet.clock.advance(3000);
      fleet.server.clockStepMs += stepMs;
      expect(fleet.until(() => fleet.modes.every((mode) => mode === "shared"), 10_000)).toBeLessThan(6000);
      fleet.clock.advance(5000);
      expect(fleet.modes).toEqual(["shared", "shared", "shared"]);
      fleet.backend.resetHighest();
      const { served } = fleet.backend;
      fleet.clock.advance(10_000);
      expect(fleet.backend.served - served).toBeGreaterThan(1000);
      expect(fleet.backend.highest(POOL)).toBeLessThanOrEqual(20);
      replicas[0]?.crash();
      fleet.clock.advance(5000);
      expect(fleet.server.table.replicas.size).toBe(2);
    },
  );

  it("lets a replica whose link alone was cut share again within two seconds, however rare heartbeats are", () => {
    const fleet = new Fleet({ settings: { heartbeatMs: 5000, ttlMs: 15_000 } });
    const [a] = fleet.start(3) as [Replica, Replica, Replica];
    fleet.clock.advance(7000);
    expect(fleet.modes).toEqual(["shared", "shared", "shared"]);
    a.link.cut = "requests";
    a.arrive(request(10));
    fleet.clock.advance(1000);
    expect(fleet.modes).toEqual(["fallback", "shared", "shared"]);
    a.link.cut = "none";
    expect(fleet.until(() => a.mode === "shared", 5000)).toBeLessThan(2000);
  });

  it("that returns empty leaves room for a replica that finds its way back late", () => {
    const fleet = new Fleet({ settings: { heartbeatMs: 5000, ttlMs: 15_000 } });
    const [a, b] = fleet.start(2) as [Replica, Replica];
    fleet.clock.advance(7000);
    flood([a, b], 20, 60_000);
    fleet.clock.advance(100);
    expect(b.running).toBe(10);
    fleet.server.stop();
    flood([a, b], 40, 60_000);
    fleet.clock.advance(3000);
    b.link.cut = "requests";
    fleet.server.resume(true);
    fleet.clock.advance(6000);
    expect(a.mode).toBe("fallback");
    expect(fleet.backend.highest(POOL)).toBe(20);
    b.link.cut = "none";
    fleet.clock.advance(3000);
    expect(fleet.modes).toEqual(["shared", "shared"]);
    expect(fleet.backend.highest(POOL)).toBe(20);
  });

  it("divides limits all the time when slots are not shared, and not at all when neither setting is on", () => {
    const split = new Fleet({ settings: { sharedSlots: false }, limits: { poolSize: 32 } });
    flood(split.start(3), 200, 60_000);
    split.clock.advance(10);
    expect(split.modes).toEqual(["split", "split", "split"]);
    expect(split.replicas.map((replica) => replica.running)).toEqual([11, 11, 11]);
    const unaware = new Fleet({ settings: { sharedSlots: false, replicaAware: false } });
    flood(unaware.start(3), 200, 60_000);
    unaware.clock.advance(10);
    expect(unaware.modes).toEqual(["local", "local", "local"]);
    expect(unaware.backend.running(POOL)).toBe(60);
  });
});
