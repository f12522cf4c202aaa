/**
 * A stand-in for one Redis on virtual time: a slot table, and a link to it for each replica. Calls travel, run and are
 * answered one after another per link, as on one connection; faults can hit each of the three. The table's own clock
 * is the server's, whatever the replicas' clocks say.
 */
import type { VirtualClock } from "@obleth/clock";
import type { Done, SlotAnnouncements, SlotBatch, SlotStore, StoreResult } from "../../src/slots/slot-store";
import { SlotTable } from "../../src/slots/slot-table";

/** A call on its way, or waiting at a paused server. */
interface Call {
  readonly link: Link;
  readonly connection: number;
  readonly execute: () => StoreResult<unknown>;
  readonly reply: (result: StoreResult<unknown>) => void;
}

export class StoreServer {
  readonly clock: VirtualClock;
  readonly table: SlotTable;
  readonly links: Link[] = [];
  /** How far the server's clock has been stepped, ms. */
  clockStepMs = 0;
  /** Announcements that get lost. */
  losesAnnouncements = false;
  #state: "up" | "down" | "paused" = "up";
  #waiting: Call[] = [];
  /** Called after each call that ran. */
  afterCall: () => void = () => undefined;

  constructor(clock: VirtualClock) {
    this.clock = clock;
    this.table = new SlotTable({
      onReleased: (pool) => this.#announce((subscriber) => subscriber.onReleased(pool)),
      onMembership: () => this.#announce((subscriber) => subscriber.onMembership()),
    });
  }

  get state(): "up" | "down" | "paused" {
    return this.#state;
  }

  link(latencyMs: () => number): Link {
    const link = new Link(this, latencyMs);
    this.links.push(link);
    return link;
  }

  /** Refuses connections; what is outstanding fails. */
  stop(): void {
    this.#state = "down";
    this.#waiting = [];
    for (const link of this.links) link.reset();
  }

  /** Hangs with its connections open; what arrives runs when it is resumed. */
  pause(): void {
    this.#state = "paused";
  }

  /** Answers again; `isEmpty`: having lost everything. */
  resume(isEmpty = false): void {
    if (isEmpty) this.table.flush();
    this.#state = "up";
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const call of waiting) this.arrive(call);
  }

  /** A call reached the server. */
  arrive(call: Call): void {
    if (this.#state === "paused") {
      this.#waiting.push(call);
      return;
    }
    if (this.#state === "down") return;
    const result = call.execute();
    this.afterCall();
    call.reply(result);
  }

  #announce(tell: (subscriber: SlotAnnouncements) => void): void {
    if (this.losesAnnouncements) return;
    for (const link of this.links) link.announce(tell);
  }
}

export class Link implements SlotStore {
  readonly #server: StoreServer;
  readonly #latencyMs: () => number;
  readonly #outstanding = new Map<number, (result: StoreResult<unknown>) => void>();
  subscriber: SlotAnnouncements | undefined;
  /** `requests`: what is sent never arrives. `replies`: it runs, but no answer comes. */
  cut: "none" | "requests" | "replies" = "none";
  /** Added to the way there and to the way back, ms. */
  extraMs = 0;
  /** What becomes of one call of slots on its way: lost, or so many ms late with all that is sent behind it. */
  fate: (batch: SlotBatch) => "lost" | number = () => 0;
  calls = 0;
  operations = 0;
  #connection = 1;
  #sequence = 0;
  #busyUntilMs = 0;
  #repliesUntilMs = 0;

  constructor(server: StoreServer, latencyMs: () => number) {
    this.#server = server;
    this.#latencyMs = () => latencyMs() + this.extraMs;
  }

  run: SlotStore["run"] = (batch, done) => {
    this.operations += batch.operations.length;
    this.#send(() => this.#server.table.run(batch, this.#serverMs()), done, this.fate(batch));
  };

  heartbeat: SlotStore["heartbeat"] = (beat, done) => {
    this.#send(() => this.#server.table.heartbeat(beat, this.#serverMs()), done);
  };

  leave: SlotStore["leave"] = (instance, done) => {
    this.#send(() => this.#server.table.leave(instance), done);
  };

  /** Drops the connection: what is outstanding fails, and what already reached the server may still run. */
  reset(): void {
    this.#connection++;
    const failed = [...this.#outstanding.values()];
    this.#outstanding.clear();
    for (const fail of failed) fail({ ok: false, error: new Error("connection reset") });
  }

  announce(tell: (subscriber: SlotAnnouncements) => void): void {
    const { subscriber } = this;
    if (subscriber === undefined || this.cut !== "none") return;
    this.#server.clock.setTimer(this.#latencyMs(), () => {
      if (this.cut === "none") tell(subscriber);
    });
  }

  #serverMs(): number {
    return Math.floor(this.#server.clock.monotonicMs()) + 10_000_000 + this.#server.clockStepMs;
  }

  #send<Answer>(execute: () => Answer, done: Done<Answer>, fate: "lost" | number = 0): void {
    const { clock } = this.#server;
    this.calls++;
    if (this.#server.state === "down") {
      clock.setTimer(0, () => done({ ok: false, error: new Error("connection refused") }));
      return;
    }
    const sequence = ++this.#sequence;
    const connection = this.#connection;
    this.#outstanding.set(sequence, (result) => done(result as StoreResult<Answer>));
    if (this.cut === "requests" || fate === "lost") return;
    this.#busyUntilMs = Math.max(this.#busyUntilMs, clock.monotonicMs() + this.#latencyMs() + fate);
    const call: Call = {
      link: this,
      connection,
      execute: () => {
        try {
          return { ok: true, answer: execute() };
        } catch (error) {
          return { ok: false, error };
        }
      },
      reply: (result) => this.#reply(sequence, connection, result),
    };
    clock.setTimer(this.#busyUntilMs - clock.monotonicMs(), () => this.#server.arrive(call));
  }

  #reply(sequence: number, connection: number, result: StoreResult<unknown>): void {
    if (this.cut === "replies") return;
    const { clock } = this.#server;
    this.#repliesUntilMs = Math.max(this.#repliesUntilMs, clock.monotonicMs() + this.#latencyMs());
    clock.setTimer(this.#repliesUntilMs - clock.monotonicMs(), () => {
      const done = this.#outstanding.get(sequence);
      if (done === undefined || connection !== this.#connection) return;
      this.#outstanding.delete(sequence);
      done(result);
    });
  }
}
