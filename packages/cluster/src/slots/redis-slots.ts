/**
 * The shared books in Redis: each call is one script. Encodes operations as the scripts' arguments and decodes their
 * replies; keeps no state but the names of the other replicas, which a heartbeat must declare as keys.
 */
import { escapePart, type Keys, unescapePart } from "../redis/keys";
import type { ScriptRunner } from "../redis/scripts";
import { operationArguments } from "./operation-arguments";
import { poolNamed } from "./slot-fields";
import type {
  BatchAnswer,
  ClaimAnswer,
  Done,
  Heartbeat,
  HeartbeatAnswer,
  LostHolds,
  Member,
  SlotAnswer,
  SlotBatch,
  SlotOperation,
  SlotStore,
} from "./slot-store";
import { OvertakenError } from "./slot-store";

/** Times a heartbeat is sent in all when the books know yet another replica each time. */
const MAX_DECLARATIONS = 5;

/** The books in one Redis, under one prefix. Fails with the connection's or the server's error. */
export class RedisSlots implements SlotStore {
  readonly #scripts: ScriptRunner;
  readonly #keys: Keys;
  #others: readonly string[] = [];

  constructor(scripts: ScriptRunner, keys: Keys) {
    this.#scripts = scripts;
    this.#keys = keys;
  }

  /** One `slots.lua` call. */
  run(batch: SlotBatch, done: Done<BatchAnswer>): void {
    const args = [
      escapePart(batch.instance),
      batch.epoch,
      this.#keys.released,
      ...operationArguments(batch.operations),
    ];
    const keys = [...this.#bookKeys(batch.instance)];
    settle(
      this.#scripts.run("slots", keys, args).then((reply) => decodeBatch(reply, batch.operations)),
      done,
    );
  }

  /** One `heartbeat.lua` call, more when replicas joined since the last. */
  heartbeat(beat: Heartbeat, done: Done<HeartbeatAnswer>): void {
    settle(this.#beat(beat), done);
  }

  /** One `leave.lua` call. */
  leave(instance: string, done: Done<number>): void {
    const keys = [this.#keys.slots, this.#keys.held(instance), this.#keys.replicas, this.#keys.view(instance)];
    const args = [escapePart(instance), this.#keys.released, this.#keys.membership];
    settle(this.#scripts.run("leave", keys, args).then(Number), done);
  }

  /**
   * A script may only touch keys that it was given, and a heartbeat may have to take slots back from any replica. So it
   * declares those it knows of; where the books know another one, nothing is done, the reply names them all, and the
   * heartbeat is sent again.
   */
  async #beat(beat: Heartbeat): Promise<HeartbeatAnswer> {
    const holdings = [...beat.holdings].flat();
    for (let declared = 0; declared < MAX_DECLARATIONS; declared++) {
      const others = this.#others;
      const keys = [...this.#bookKeys(beat.instance), ...others.map((name) => this.#keys.held(name))];
      const reply = await this.#scripts.run("heartbeat", keys, [
        escapePart(beat.instance),
        beat.ttlMs,
        beat.epoch,
        this.#keys.released,
        this.#keys.membership,
        beat.asksOthers ? 1 : 0,
        others.length,
        ...others.map(escapePart),
        ...holdings,
      ]);
      if (!Array.isArray(reply)) throw new Error(`unexpected reply of heartbeat: ${JSON.stringify(reply)}`);
      if (reply[0] === "done") return this.#decodeBeat(reply, beat.instance);
      if (reply[0] === "stale") throw new OvertakenError();
      this.#others = reply.slice(1).map((name) => unescapePart(String(name)));
    }
    throw new Error(`the replicas changed ${MAX_DECLARATIONS} times during one heartbeat`);
  }

  /** The reply `done`: eight values, then name and expiry of each living replica, whose names are kept for the next. */
  #decodeBeat(reply: readonly unknown[], instance: string): HeartbeatAnswer {
    const members: Member[] = [];
    for (let at = 9; at < reply.length; at += 2) {
      members.push({ instance: unescapePart(String(reply[at])), expiresAtMs: Number(reply[at + 1]) });
    }
    this.#others = members.map((member) => member.instance).filter((name) => name !== instance);
    return {
      nowMs: Number(reply[1]),
      wasRegistered: reply[2] === 1,
      reclaimedSlots: Number(reply[3]),
      ownDrift: Number(reply[4]),
      totalDrift: Number(reply[5]),
      heldSessions: Number(reply[6]),
      totalSlots: Number(reply[7]),
      lostHolds: lostHolds(reply[8]),
      members,
    };
  }

  /** The keys that `slots.lua` and `heartbeat.lua` begin with, in their order. */
  #bookKeys(instance: string): readonly string[] {
    const { slots, replicas, holds, sessions, sessionsDue } = this.#keys;
    return [slots, this.#keys.held(instance), replicas, holds, sessions, sessionsDue];
  }
}

/** Hands a promise's end to a callback. */
function settle<Answer>(call: Promise<Answer>, done: Done<Answer>): void {
  call.then(
    (answer) => done({ ok: true, answer }),
    (error: unknown) => done({ ok: false, error }),
  );
}

/** How `slots.lua` writes the answer to a claim: a letter, to which a time in ms may be added. */
const CLAIM_CODES: Readonly<Record<string, ClaimAnswer>> = {
  G: "granted",
  R: "redeemed",
  g: "ceiling",
  p: "pool",
  t: "tenant",
  k: "key",
  n: "none",
};

/** The reply of `slots.lua`: its time, one answer for each operation between commas, then pools with lost holds. */
function decodeBatch(reply: unknown, operations: readonly SlotOperation[]): BatchAnswer {
  if (!Array.isArray(reply)) throw new Error(`unexpected reply of slots: ${JSON.stringify(reply)}`);
  if (reply[0] === "unregistered") return { kind: "unregistered" };
  const texts = String(reply[2]).split(",");
  const answers = operations.map((operation, i) => decodeAnswer(operation, texts[i] ?? ""));
  return { kind: "done", nowMs: Number(reply[1]), answers, lostHolds: lostHolds(reply.slice(3)) };
}

/** From `<pool>|<ran out>|<dropped>`; what is not there is 0. */
function lostHolds(texts: unknown): LostHolds[] {
  if (!Array.isArray(texts)) return [];
  return texts.map((text) => {
    const [pool = "", expired, released = 0] = String(text).split("|");
    return { pool: poolNamed(pool), expired: Number(expired), released: Number(released) };
  });
}

/** One answer. A release or hold that the books know nothing of is no fault here: their owner may have expired. */
function decodeAnswer(operation: SlotOperation, reply: string): SlotAnswer {
  const code = reply[0];
  switch (operation.kind) {
    case "claim": {
      const answer = CLAIM_CODES[code ?? ""];
      if (answer === undefined) throw new Error(`unexpected answer to a claim: ${reply}`);
      const ms = reply.length > 2 ? Number(reply.slice(2)) : null;
      const isIn = answer === "granted" || answer === "redeemed";
      return { kind: "claim", answer, retryMs: isIn ? null : ms, sinceLastFinishMs: isIn ? ms : null };
    }
    case "release":
      return { kind: "release", answer: code === "F" ? "freed" : "not-held" };
    case "hold":
      return { kind: "hold", answer: HOLD_CODES[code ?? ""] ?? "not-held" };
    case "drop-holds":
      return { kind: "drop-holds" };
    case "withdraw":
      return { kind: "withdraw" };
  }
}

/** How `slots.lua` writes the answer to a hold. */
const HOLD_CODES: Readonly<Record<string, "held" | "renewed" | "freed">> = { H: "held", N: "renewed", F: "freed" };
