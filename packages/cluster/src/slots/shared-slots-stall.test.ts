/** A process that stands still for longer than the others wait for it, and then goes on as if nothing had happened. */
import { VirtualClock } from "@obleth/clock";
import { keyId, poolId, tenantId } from "@obleth/fairshare";
import { describe, expect, it } from "vitest";
import { SharedSlots } from "./shared-slots";
import { Holdings } from "./slot-fields";
import type { SlotStore } from "./slot-store";
import { SlotTable } from "./slot-table";

const TTL_MS = 3000;
const OWNER = { pool: poolId("chat"), tenantId: tenantId("acme"), keyId: keyId("key") };
const CLAIM = {
  ...OWNER,
  poolSize: 1,
  ceiling: 9,
  tenantCap: null,
  keyCap: null,
  session: null,
  sinceArrivalMs: 0,
  isForHoldOnly: false,
  isStarving: false,
};

class Server {
  nowMs = 1_000_000;
  readonly replicas: Process[] = [];
  readonly table = new SlotTable({
    onReleased: () => undefined,
    onMembership: () => {
      for (const { slots, inbox } of this.replicas) inbox.push(() => slots.onMembership());
    },
  });

  /** Time passes for the server and for those who do not stand still. */
  pass(ms: number): void {
    for (let i = 0; i < ms; i++) {
      this.nowMs++;
      for (const replica of this.replicas) if (!replica.isStill) replica.live(1);
    }
  }
}

/** One gateway's process: its clock, and what lies in its sockets. */
class Process {
  readonly clock = new VirtualClock();
  readonly inbox: (() => void)[] = [];
  readonly modes: string[] = [];
  readonly outcomes: string[] = [];
  running = 0;
  readonly slots: SharedSlots;
  retries = 0;
  isStill = false;
  readonly #deferred: (() => void)[] = [];

  constructor(
    readonly name: string,
    private readonly server: Server,
  ) {
    this.slots = new SharedSlots({
      store: this.#store(),
      clock: this.clock,
      rng: () => 0.5,
      instance: name,
      settings: { sharedSlots: true, replicaAware: true, heartbeatMs: 1000, ttlMs: TTL_MS, responseTimeoutMs: 250 },
      defer: (run) => void this.#deferred.push(run),
    });
    server.replicas.push(this);
    const host = {
      holdings: () => {
        const holdings = new Holdings();
        if (this.running > 0) holdings.add(OWNER, this.running);
        return holdings;
      },
      retry: () => void this.retries++,
      onMode: ({ mode }: { mode: string }) => void this.modes.push(mode),
    };
    this.slots.start(host, () => undefined);
  }

  claim(): void {
    this.slots.claim(CLAIM, (outcome) => {
      this.outcomes.push(outcome);
      if (outcome === "granted") this.running++;
    });
    this.#runDeferred();
  }

  finish(): void {
    this.running--;
    this.slots.release(OWNER);
    this.#runDeferred();
  }

  /** One turn of the event loop after so long: timers, then sockets, then what was deferred. */
  live(ms: number): void {
    this.clock.advance(ms);
    for (const read of this.inbox.splice(0)) read();
    this.#runDeferred();
  }

  #runDeferred(): void {
    for (const run of this.#deferred.splice(0)) run();
  }

  #store(): SlotStore {
    const { server } = this;
    return {
      run: (batch, done) => {
        const answer = server.table.run(batch, server.nowMs);
        this.inbox.push(() => done({ ok: true, answer }));
      },
      heartbeat: (beat, done) => {
        const answer = server.table.heartbeat(beat, server.nowMs);
        this.inbox.push(() => done({ ok: true, answer }));
      },
      leave: () => undefined,
    };
  }
}

/** The third one is there so that the other two share slots while one stands still. */
function threeSharing() {
  const server = new Server();
  const still = new Process("still", server);
  const other = new Process("other", server);
  const third = new Process("third", server);
  server.pass(1500);
  expect([still, other, third].map(({ slots }) => slots.state.mode)).toEqual(["shared", "shared", "shared"]);
  return { server, still, other };
}

describe("a replica that stands still past its expiry", () => {
  it("starts nothing that it was granted before, and claims nothing until what it runs is on the books again", () => {
    const { server, still, other } = threeSharing();
    still.claim();
    still.isStill = true;
    server.pass(TTL_MS + 1200);
    other.claim();
    server.pass(5);
    expect(other.outcomes).toEqual(["granted"]);
    const changes = still.modes.length;
    still.isStill = false;
    still.live(TTL_MS + 1205);
    expect(still.outcomes).toEqual(["unavailable"]);
    server.pass(20);
    expect(still.retries).toBeGreaterThan(0);
    still.claim();
    server.pass(5);
    expect(still.outcomes).toEqual(["unavailable", "pool"]);
    expect(server.table.totals.get("p|chat")).toBe(1);
    expect(still.modes.length).toBe(changes);
  });

  it("says that it stood still from the first look on, so that nothing is sent on a slot from before", () => {
    const { server, still, other } = threeSharing();
    still.claim();
    server.pass(5);
    expect([still.outcomes, still.slots.stalls]).toEqual([["granted"], 0]);
    still.isStill = true;
    server.pass(TTL_MS + 1200);
    still.isStill = false;
    still.clock.advance(TTL_MS - 200);
    expect(still.slots.stalls).toBe(0);
    still.live(1400);
    expect(still.slots.stalls).toBe(1);
    server.pass(20);
    expect([still.slots.stalls, other.slots.stalls]).toEqual([1, 0]);
  });

  it("puts what it still runs on the books, and gives it back once", () => {
    const { server, still, other } = threeSharing();
    still.claim();
    server.pass(5);
    expect(still.outcomes).toEqual(["granted"]);
    still.isStill = true;
    server.pass(TTL_MS + 1200);
    other.claim();
    server.pass(5);
    still.isStill = false;
    still.live(TTL_MS + 1205);
    server.pass(20);
    expect(server.table.totals.get("p|chat")).toBe(2);
    still.finish();
    server.pass(5);
    expect(server.table.totals.get("p|chat")).toBe(1);
    expect(still.modes.at(-1)).toBe("shared");
  });

  it("falls back as after any loss when the books were lost as well", () => {
    const { server, still } = threeSharing();
    still.isStill = true;
    server.pass(TTL_MS + 1200);
    server.table.flush();
    still.isStill = false;
    still.live(TTL_MS + 1200);
    still.live(1);
    expect(still.modes.at(-1)).toBe("fallback");
  });
});
