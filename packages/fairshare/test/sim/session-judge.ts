/**
 * Follows an engine that favours sessions through its decisions, keeps its own count of who waits, runs, is held and
 * was passed, and says which property a doubtful act breaks. A held slot is a running request to the oracle, which
 * judges group, tenant and key; which request of the key goes next is judged here.
 */
import type { Decision } from "../../src/decisions";
import type { AffinitySettings, EngineEvent } from "../../src/events";
import { waiterId } from "../../src/ids";
import { Oracle } from "../oracle";
import type { OracleConfig, OracleRequest } from "../oracle-state";
import { MAX_JUMPS, WARM_MS } from "./session-world";

interface Waiting {
  readonly id: number;
  readonly key: string;
  readonly session: string | null;
  readonly arrivedMs: number;
  passes: number;
}

interface Hold {
  /** The step that left it, which stands for the slot in the oracle. */
  readonly step: number;
  readonly key: string;
  /** It ends at one of these times; the later one when a parallel step may have renewed it. */
  earliestMs: number;
  latestMs: number;
}

interface Session {
  running: number;
  lastFinishMs: number;
}

export class SessionBreach extends Error {
  readonly property: string;

  constructor(property: string, message: string) {
    super(`${property}: ${message}`);
    this.property = property;
  }
}

export class SessionJudge {
  readonly #oracle: Oracle;
  readonly #waiting = new Map<number, Waiting>();
  readonly #holds = new Map<string, Hold>();
  readonly #sessions = new Map<string, Session>();
  /** Of each request of a session: how long after the session's last finish it arrived; Infinity for its first step. */
  readonly #sinceLastMs = new Map<number, number>();
  readonly #sessionOf = new Map<number, string>();
  readonly #keyOf = new Map<number, string>();
  readonly made = { held: 0, redeemed: 0, hold_expired: 0, hold_released: 0 };
  readonly checks = new Map<string, number>();
  #affinity: AffinitySettings | null = null;
  #size = 1;
  #nowMs = 0;
  #redeeming: number | null = null;

  constructor(config: OracleConfig) {
    this.#oracle = new Oracle(config);
  }

  get openHolds(): number {
    return this.#holds.size;
  }

  see(event: EngineEvent, nowMs: number, decisions: readonly Decision[]): void {
    this.#nowMs = nowMs;
    this.#oracle.begin({ kind: "wake" }, nowMs);
    const own = decisions.findIndex((each) => isOfEvent(each, event));
    const early = own < 0 ? decisions.length : own;
    if (event.kind !== "pool_changed") for (const each of decisions.slice(0, early)) this.#take(each);
    this.#begin(event, decisions);
    for (const each of event.kind === "pool_changed" ? decisions : decisions.slice(early)) this.#take(each);
    this.#afterwards(event);
  }

  #begin(event: EngineEvent, decisions: readonly Decision[]): void {
    const now = this.#nowMs;
    if (event.kind === "pool_changed") {
      this.#affinity = event.affinity;
      this.#size = event.size;
      this.#oracle.begin(event, now);
    }
    if (event.kind === "cancel") this.#oracle.begin(event, now);
    if (event.kind === "finish") {
      const isHeld = decisions.some((each) => each.kind === "held" && each.waiterId === event.waiterId);
      if (!isHeld) this.#oracle.begin(event, now);
    }
    if (event.kind !== "arrive") return;
    this.#oracle.begin(event, now);
    const key = `${event.tenant.id}/${event.key.id}`;
    this.#keyOf.set(event.waiterId, key);
    if (event.session === null || this.#affinity === null) return;
    const name = `${key}/${event.session}`;
    this.#sessionOf.set(event.waiterId, name);
    this.#sinceLastMs.set(event.waiterId, now - this.#session(name).lastFinishMs);
  }

  #take(decision: Decision): void {
    const id: number = decision.waiterId;
    switch (decision.kind) {
      case "queued":
        this.#waiting.set(id, this.#newWaiting(id));
        break;
      case "timed_out":
      case "dropped":
        this.#waiting.delete(id);
        break;
      case "redeemed":
        this.#redeem(id);
        break;
      case "admitted":
        this.#admit(id);
        break;
      case "released":
        this.#release(id);
        break;
      case "held":
        this.#hold(id);
        break;
      case "hold_expired":
      case "hold_released":
        this.#drop(id, decision.kind);
        break;
      default:
        break;
    }
  }

  #newWaiting(id: number): Waiting {
    const session = this.#sessionOf.get(id) ?? null;
    return { id, key: this.#keyOf.get(id) ?? "", session, arrivedMs: this.#nowMs, passes: 0 };
  }

  #redeem(id: number): void {
    const name = this.#sessionOf.get(id) ?? "";
    const hold = this.#holds.get(name);
    this.#count("S10");
    if (hold === undefined) throw new SessionBreach("S10", `${id} took a hold that its session does not have`);
    const key = this.#keyOf.get(id);
    const limited = this.#waitingOf(key).some((each) => each.passes >= MAX_JUMPS && each.id < id);
    if (limited) throw new SessionBreach("S4", `${id} took a hold although a request of its key was passed enough`);
    this.#holds.delete(name);
    this.made.redeemed += 1;
    this.#redeeming = id;
    const request = this.#oracle.world.waiting.find((each) => each.waiterId === id);
    if (request !== undefined) {
      this.#oracle.admit({ request, isLent: false });
    } else if (!this.#oracle.world.running.some((each) => each.waiterId === id)) {
      throw new SessionBreach("S10", `${id} is unknown`);
    }
    this.#oracle.begin({ kind: "finish", waiterId: waiterId(hold.step), actualTokens: null }, this.#nowMs);
  }

  #admit(id: number): void {
    const isRedeem = this.#redeeming === id;
    this.#redeeming = null;
    if (!isRedeem) this.#judgeOwner(id);
    const session = this.#sessionOf.get(id) ?? null;
    for (const older of this.#waitingOf(this.#keyOf.get(id))) {
      if (older.id >= id) continue;
      older.passes += 1;
      this.#count("S3");
      this.#count("S4");
      if (!isRedeem && !this.#isWarm(session))
        throw new SessionBreach("S3", `${id} passed ${older.id} and is not warm`);
      if (older.passes > MAX_JUMPS) throw new SessionBreach("S4", `${older.id} was passed ${older.passes} times`);
      if (this.#isStarving(older))
        throw new SessionBreach("S5", `${id} passed ${older.id}, which waits past the limit`);
    }
    this.#waiting.delete(id);
    if (session !== null) this.#session(session).running += 1;
  }

  /** Group, tenant and key must be those that the oracle would choose; a fast start it has judged itself. */
  #judgeOwner(id: number): void {
    if (this.#oracle.world.running.some((each) => each.waiterId === id)) return;
    const request = this.#oracle.world.waiting.find((each) => each.waiterId === id);
    const ideal = this.#oracle.ideal();
    this.#count("S2");
    this.#count("S8");
    if (request === undefined || ideal === undefined) throw new SessionBreach("S8", `${id} may not have a slot`);
    if (ideal.request.key !== request.key) {
      throw new SessionBreach("S2", `key ${request.key.id} was served instead of ${ideal.request.key.id}`);
    }
    this.#oracle.admit({ request, isLent: ideal.isLent });
  }

  #release(id: number): void {
    const name = this.#sessionOf.get(id);
    if (name === undefined) return;
    const session = this.#session(name);
    session.running -= 1;
    session.lastFinishMs = this.#nowMs;
    const hold = this.#holds.get(name);
    if (hold !== undefined && this.#followedOn(id)) hold.latestMs = this.#nowMs + (this.#affinity?.holdMs ?? 0);
  }

  #hold(id: number): void {
    const name = this.#sessionOf.get(id) ?? "";
    const affinity = this.#affinity;
    for (const property of ["S7", "S9", "S12"]) this.#count(property);
    if (affinity === null) throw new SessionBreach("S13", `${id} left a hold with affinity off`);
    if (this.#holds.has(name)) throw new SessionBreach("S12", `${name} has two holds`);
    if (!this.#followedOn(id)) throw new SessionBreach("S9", `${id} left a hold and did not follow straight on`);
    const key = this.#keyOf.get(id) ?? "";
    if (this.#waitingOf(key).some((each) => each.passes >= MAX_JUMPS)) {
      throw new SessionBreach("S4", `${id} left a hold although a request of its key was passed enough`);
    }
    const until = this.#nowMs + affinity.holdMs;
    this.#holds.set(name, { step: id, key, earliestMs: until, latestMs: until });
    this.made.held += 1;
    const most = Math.ceil((this.#size * affinity.maxHeldPercent) / 100);
    if (this.#holds.size > most)
      throw new SessionBreach("S7", `${this.#holds.size} slots are held, at most ${most} may be`);
  }

  #drop(step: number, kind: "hold_expired" | "hold_released"): void {
    const found = [...this.#holds].find(([, hold]) => hold.step === step);
    if (found === undefined) throw new SessionBreach("S14", `${step} had no hold to lose`);
    const [name, hold] = found;
    this.made[kind] += 1;
    this.#count("S11");
    if (kind === "hold_expired" && this.#nowMs < hold.earliestMs)
      throw new SessionBreach("S11", `${name} lost its hold early`);
    if (kind === "hold_released") this.#judgeEarlyEnd(name, hold);
    this.#holds.delete(name);
    this.#oracle.begin({ kind: "finish", waiterId: waiterId(step), actualTokens: null }, this.#nowMs);
  }

  /** Only affinity turned off, a request passed often enough, or one past the limit that could run ends a hold early. */
  #judgeEarlyEnd(name: string, hold: Hold): void {
    this.#count("S6");
    const isPassedEnough = this.#waitingOf(hold.key).some((each) => each.passes >= MAX_JUMPS);
    const isStarved = [...this.#waiting.values()].some((each) => this.#isStarving(each));
    if (this.#affinity !== null && !isPassedEnough && !isStarved) {
      throw new SessionBreach("S6", `${name} lost its hold though nobody past the limit could run`);
    }
  }

  #afterwards(event: EngineEvent): void {
    const { world } = this.#oracle;
    const ideal = this.#oracle.ideal();
    if (ideal !== undefined) throw new SessionBreach("S8", `${ideal.request.waiterId} waits beside a free slot`);
    for (const [name, hold] of this.#holds) {
      if (hold.latestMs <= this.#nowMs) throw new SessionBreach("S11", `${name} kept its hold too long`);
      this.#count("S13");
      if (this.#affinity === null) throw new SessionBreach("S13", `${name} has a hold with affinity off`);
    }
    const starving = [...this.#waiting.values()].filter((each) => this.#isStarving(each));
    if (starving.length > 0) this.#count("S5");
    if (starving.length > 0 && this.#holds.size > 0) {
      throw new SessionBreach("S5", `slots are held while ${starving[0]?.id} waits past the limit`);
    }
    if (world.running.length - this.#holds.size < 0) throw new SessionBreach("S8", "more holds than slots in use");
    const { held, redeemed, hold_expired: expired, hold_released: released } = this.made;
    this.#count("S14");
    if (held !== redeemed + expired + released + this.#holds.size)
      throw new SessionBreach("S14", "holds do not balance");
    if (event.kind === "arrive") this.#judgeArrival(event.waiterId);
  }

  /** A step whose session has a hold takes it at once unless something may not start at all. */
  #judgeArrival(id: number): void {
    const waiting = this.#waiting.get(id);
    const hold =
      waiting?.session === undefined || waiting.session === null ? undefined : this.#holds.get(waiting.session);
    if (waiting === undefined || hold === undefined) return;
    const isLimited = this.#waitingOf(waiting.key).some((each) => each.passes >= MAX_JUMPS && each.id < id);
    const isOver = this.#oracle.world.running.length > this.#size || !this.#isWithinCaps(id);
    if (!isLimited && !isOver) throw new SessionBreach("S10", `${id} waits beside the hold of its session`);
  }

  #followedOn(id: number): boolean {
    const since = this.#sinceLastMs.get(id) ?? Number.POSITIVE_INFINITY;
    return this.#affinity !== null && since >= 0 && since <= this.#affinity.holdMs;
  }

  #isWarm(name: string | null): boolean {
    if (name === null || this.#affinity === null) return false;
    const session = this.#session(name);
    return session.running > 0 || this.#nowMs - session.lastFinishMs <= WARM_MS;
  }

  /** Has waited past the bypass limit and could run but for the pool. */
  #isStarving(waiting: Waiting): boolean {
    if (this.#affinity === null || this.#nowMs - waiting.arrivedMs < this.#affinity.maxBypassMs) return false;
    const request = this.#requestOf(waiting.id);
    if (request === undefined) return false;
    const { world } = this.#oracle;
    const { tenant, key } = request;
    return world.taken({ tenant }) < tenant.cap && world.taken({ key }) < key.cap;
  }

  #isWithinCaps(id: number): boolean {
    const request = this.#requestOf(id);
    if (request === undefined) return true;
    const { world } = this.#oracle;
    return (
      world.taken({ tenant: request.tenant }) <= request.tenant.cap &&
      world.taken({ key: request.key }) <= request.key.cap
    );
  }

  #requestOf(id: number): OracleRequest | undefined {
    return this.#oracle.world.waiting.find((each) => each.waiterId === id);
  }

  #waitingOf(key: string | undefined): Waiting[] {
    return [...this.#waiting.values()].filter((each) => each.key === key);
  }

  #session(name: string): Session {
    const known = this.#sessions.get(name);
    if (known !== undefined) return known;
    const session = { running: 0, lastFinishMs: Number.NEGATIVE_INFINITY };
    this.#sessions.set(name, session);
    return session;
  }

  #count(property: string): void {
    this.checks.set(property, (this.checks.get(property) ?? 0) + 1);
  }
}

/** Whether a decision answers the event itself rather than what was due before it. */
function isOfEvent(decision: Decision, event: EngineEvent): boolean {
  if (event.kind === "arrive" || event.kind === "finish" || event.kind === "cancel") {
    return decision.waiterId === event.waiterId && !decision.kind.startsWith("hold_");
  }
  return false;
}
