/** Sessions over several replicas where others came to grief: early steps, chatty crowds, replicas that die with a hold. */
import { sessionId } from "@obleth/fairshare";
import { describe, expect, it } from "vitest";
import { Fleet, type FleetOptions, owner, request, type SimReplica } from "./fleet";

const POOL = "p|chat";

function start(count: number, options: FleetOptions): { fleet: Fleet; replicas: SimReplica[] } {
  const fleet = new Fleet({ withEngine: true, ...options });
  return { fleet, replicas: fleet.start(count) };
}

const stepOf = (name: string, serviceMs = 100, who = owner()) => ({
  ...request(serviceMs, who),
  session: sessionId(name),
});

/** Plays a session's steps, each at the next replica in turn, so long after the one before ended. */
function playSession(
  { fleet, replicas }: ReturnType<typeof start>,
  given: { name: string; steps: number; serviceMs: number; gapMs: number; who?: ReturnType<typeof owner> },
): { waitsMs: number[] } {
  const { name, steps, serviceMs, gapMs, who } = given;
  const waitsMs: number[] = [];
  const send = (i: number) => {
    if (i === steps) return;
    const arrivedMs = fleet.clock.monotonicMs();
    replicas[i % replicas.length]?.arrive(stepOf(name, serviceMs, who), () => {
      waitsMs.push(fleet.clock.monotonicMs() - arrivedMs);
      fleet.clock.setTimer(serviceMs + gapMs, () => send(i + 1));
    });
  };
  send(0);
  return { waitsMs };
}

const made = (fleet: Fleet) => fleet.calls.get("hold held") ?? 0;
const taken = (fleet: Fleet) => fleet.calls.get("claim redeemed") ?? 0;

describe("an agent at three replicas in turn", () => {
  it("finds its slot held at most of its steps, beside a hundred sessions that compete", () => {
    const world = start(3, { limits: { poolSize: 4 }, affinity: { holdMs: 3000, maxHeld: 4, maxJumps: 8 } });
    const { fleet, replicas } = world;
    for (let i = 0; i < 100; i++) {
      const again = () => {
        replicas[i % 3]?.arrive(stepOf(`rival-${i}`, 200, owner("chat", "crowd")), () =>
          fleet.clock.setTimer(10_000, again),
        );
      };
      again();
    }
    fleet.clock.advance(2000);
    const who = owner("chat", "agent");
    const { waitsMs } = playSession(world, { name: "one", steps: 60, serviceMs: 300, gapMs: 200, who });
    fleet.until(() => waitsMs.length === 60, 600_000);
    expect(waitsMs).toHaveLength(60);
    expect(waitsMs.filter((ms) => ms < 10).length).toBeGreaterThan(40);
    expect(fleet.backend.highest(POOL)).toBe(4);
  });

  it("wastes at most a hold for each step that comes before its hold is booked, and leaves nothing behind", () => {
    const world = start(2, {
      limits: { poolSize: 4 },
      affinity: { holdMs: 3000, maxHeld: 2, maxJumps: 8 },
      latencyMs: () => 5,
    });
    const { fleet } = world;
    const { waitsMs } = playSession(world, { name: "hasty", steps: 40, serviceMs: 100, gapMs: 1 });
    fleet.until(() => waitsMs.length === 40, 60_000);
    // A round trip, and half of one when another call was on its way.
    expect(Math.max(...waitsMs)).toBeLessThanOrEqual(15);
    expect(fleet.server.table.holds.size).toBeLessThanOrEqual(1);
    fleet.clock.advance(200 + 3000 + 1000);
    expect(fleet.server.table.holds.size).toBe(0);
    expect([...fleet.server.table.totals]).toEqual([]);
  });
});

describe("ten sessions of one key that never stop", () => {
  function chatter(world: ReturnType<typeof start>, count = 10): void {
    const { fleet, replicas } = world;
    for (let i = 0; i < count; i++) {
      const again = () => replicas[0]?.arrive(stepOf(`chatty-${i}`, 300), () => fleet.clock.setTimer(350, again));
      again();
    }
  }

  it.each([
    [8, 1],
    [8, 2],
    [1, 2],
  ])(
    "let a lone request on another replica in after %i holds in a row, with %i of two slots held at most",
    (maxJumps, maxHeld) => {
      const world = start(2, { limits: { poolSize: 2 }, affinity: { holdMs: 3000, maxHeld, maxJumps } });
      const { fleet, replicas } = world;
      let mostHeld = 0;
      fleet.server.afterCall = () => {
        mostHeld = Math.max(mostHeld, fleet.server.table.holds.size);
      };
      chatter(world);
      fleet.clock.advance(5000);
      let isIn = false;
      replicas[1]?.arrive(request(300), () => {
        isIn = true;
      });
      const waitedMs = fleet.until(() => isIn, 60_000);
      // Either slot is held at most so often in a row, 350 ms each, while the request waits.
      expect(waitedMs).toBeLessThanOrEqual((maxJumps + 1) * 350 + 350);
      expect(mostHeld).toBeLessThanOrEqual(maxHeld);
      expect(mostHeld).toBeGreaterThan(0);
    },
  );

  it("lose every hold of the pool within a second when a request on another replica has waited past the limit", () => {
    const world = start(2, {
      limits: { poolSize: 2 },
      affinity: { holdMs: 60_000, maxHeld: 2, maxJumps: 10_000, maxBypassMs: 5000 },
    });
    const { fleet, replicas } = world;
    for (const name of ["one", "two"])
      playSession({ fleet, replicas: replicas.slice(0, 1) }, { name, steps: 2, serviceMs: 50, gapMs: 20 });
    fleet.clock.advance(1000);
    expect(fleet.server.table.holds.size).toBe(2);
    let isIn = false;
    replicas[1]?.arrive(request(3000), () => {
      isIn = true;
    });
    fleet.clock.advance(4900);
    expect([isIn, fleet.server.table.holds.size]).toEqual([false, 2]);
    expect(fleet.until(() => isIn, 10_000)).toBeLessThanOrEqual(100 + 1000);
    expect(fleet.server.table.holds.size).toBe(0);
  });
});

describe("a replica that dies with a held slot", () => {
  it("leaves the hold to run out, after which the slot is another's and no phantom is counted", () => {
    const { fleet, replicas } = start(3, {
      limits: { poolSize: 1 },
      affinity: { holdMs: 3000, maxHeld: 1, maxJumps: 8 },
    });
    playSession({ fleet, replicas: replicas.slice(0, 1) }, { name: "one", steps: 2, serviceMs: 50, gapMs: 20 });
    fleet.until(() => made(fleet) === 1, 5000);
    const heldMs = fleet.clock.monotonicMs();
    replicas[0]?.crash();
    let startedMs = 0;
    replicas[1]?.arrive(request(100), () => {
      startedMs = fleet.clock.monotonicMs();
    });
    fleet.until(() => startedMs > 0, 20_000);
    expect(startedMs - heldMs).toBeGreaterThanOrEqual(2990);
    expect(startedMs - heldMs).toBeLessThanOrEqual(3000 + 300);
    fleet.clock.advance(20_000);
    expect([...fleet.server.table.totals]).toEqual([]);
    expect(taken(fleet)).toBe(0);
  });

  it("cannot take the hold along: the next step finds it on another replica", () => {
    const world = start(3, { limits: { poolSize: 1 }, affinity: { holdMs: 3000, maxHeld: 1, maxJumps: 8 } });
    const { fleet, replicas } = world;
    playSession({ fleet, replicas: replicas.slice(0, 1) }, { name: "one", steps: 2, serviceMs: 50, gapMs: 20 });
    fleet.until(() => made(fleet) === 1, 5000);
    replicas[0]?.crash();
    replicas[1]?.arrive(request(100, owner("chat", "other")));
    fleet.clock.advance(100);
    let isIn = false;
    replicas[2]?.arrive(stepOf("one"), () => {
      isIn = true;
    });
    expect(fleet.until(() => isIn, 1000)).toBeLessThan(10);
    expect(taken(fleet)).toBe(1);
  });
});

describe("calls of the store", () => {
  /** One request after another without waiting, some of them steps of sessions. */
  function callsFor(affinity: NonNullable<FleetOptions["affinity"]>, hasSessions: boolean): number {
    const { fleet, replicas } = start(2, {
      limits: { poolSize: 8 },
      settings: { heartbeatMs: 60_000, ttlMs: 180_000 },
      affinity,
    });
    const before = fleet.links[0]?.calls ?? 0;
    for (let i = 0; i < 50; i++) {
      replicas[0]?.arrive(hasSessions ? stepOf(`s${i % 3}`, 20) : request(20));
      fleet.clock.advance(100);
    }
    return (fleet.links[0]?.calls ?? 0) - before;
  }

  it("are as many with holds as without: a hold replaces the release, and a claim names it", () => {
    const plain = callsFor({}, false);
    expect(plain).toBe(100);
    expect(callsFor({}, true)).toBe(plain);
    expect(callsFor({ holdMs: 3000, maxHeld: 4, maxJumps: 8 }, true)).toBe(plain);
  });
});
