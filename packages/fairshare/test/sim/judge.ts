/**
 * Judges a system step by step. It follows along with a faultless oracle: the oracle is told what the system did, and
 * says which property each doubtful act breaks. After the first breach nothing more is judged, since the two states
 * differ from there on.
 */
import type { EngineEvent } from "../../src/events";
import { type Choice, Oracle } from "../oracle";
import type { Account, OracleAction, OracleConfig, OracleRequest } from "../oracle-state";
import { type Reading, readOracle, type System, type SystemEffect } from "./systems";

export interface Breach {
  /** Id of the property, as the catalogue of properties has it. */
  readonly property: string;
  readonly message: string;
  readonly nowMs: number;
}

/** Leaves a judgement at its first breach. */
class Breached extends Error {
  readonly breach: Breach;

  constructor(breach: Breach) {
    super(breach.message);
    this.breach = breach;
  }
}

type Grant = Extract<SystemEffect, { kind: "grant" }>;

export class Judge {
  readonly oracle: Oracle;
  readonly #system: System;
  readonly #readEvery: number;
  /** How often each property had something to say. */
  readonly checks = new Map<string, number>();
  breach: Breach | undefined;
  #steps = 0;
  #nowMs = 0;
  #last = new Map<string, Reading>();

  constructor(given: { config: OracleConfig; system: System; readEvery: number }) {
    this.oracle = new Oracle(given.config);
    this.#system = given.system;
    this.#readEvery = given.readEvery;
  }

  /** Judges one step of the system. */
  see(event: EngineEvent, nowMs: number, effects: readonly SystemEffect[]): void {
    if (this.breach !== undefined) return;
    this.#nowMs = nowMs;
    this.#steps += 1;
    try {
      this.#judge(event, nowMs, effects);
    } catch (error) {
      if (!(error instanceof Breached)) throw error;
      this.breach = error.breach;
    }
  }

  #judge(event: EngineEvent, nowMs: number, effects: readonly SystemEffect[]): void {
    const wasRunning = this.oracle.world.running.length;
    const expected = this.oracle.begin(event, nowMs);
    this.#judgeRefusals(event, expected, effects);
    this.#judgeFast(event, expected, effects);
    for (const effect of effects) {
      if (effect.kind === "grant" && effect.outcome === "queued") this.#judgeGrant(effect, nowMs);
    }
    this.#count("E1", this.oracle.world.waiting.length > 0);
    const left = this.oracle.ideal();
    if (left !== undefined) this.#fail("E1", `request ${left.request.waiterId} could run and waits beside a free slot`);
    if (event.kind === "finish" && expected.length === 0)
      this.#count("E30", this.oracle.world.running.length >= wasRunning);
    if (this.#steps % this.#readEvery === 0) this.#judgeReadings(nowMs);
  }

  #judgeRefusals(event: EngineEvent, expected: readonly OracleAction[], effects: readonly SystemEffect[]): void {
    const told = effects.filter((effect) => effect.kind === "refuse");
    const due = expected.filter((action) => action.kind === "refuse");
    const describe = (list: readonly { waiterId: number; reason: string; waitMs: number }[]) =>
      list
        .map((each) => `${each.waiterId} ${each.reason} ${each.waitMs}`)
        .sort()
        .join(", ");
    this.#count("E28", due.length > 0);
    this.#count("E27", due.length > 0 || event.kind === "cancel");
    if (describe(told) !== describe(due)) this.#fail("E28", `refused [${describe(told)}], due were [${describe(due)}]`);
  }

  #judgeFast(event: EngineEvent, expected: readonly OracleAction[], effects: readonly SystemEffect[]): void {
    if (event.kind !== "arrive") return;
    const isFast = effects.some((effect) => effect.kind === "grant" && effect.outcome === "fast");
    const should = expected.some((action) => action.kind === "grant");
    this.#count("E39", should);
    if (isFast === should) return;
    if (should) this.#fail("E39", `request ${event.waiterId} could have started at once`);
    const request = this.oracle.world.waiting.find((each) => each.waiterId === event.waiterId);
    this.#fail(
      request === undefined ? "E27" : (this.#limitBroken(request) ?? "E16"),
      "started at once although it must wait",
    );
  }

  #judgeGrant(effect: Grant, nowMs: number): void {
    const { oracle } = this;
    const request = oracle.world.waiting.find((each) => each.waiterId === effect.waiterId);
    this.#count("E29", true);
    if (request === undefined) this.#fail("E29", `request ${effect.waiterId} got a slot and does not wait`);
    const broken = this.#limitBroken(request);
    if (broken !== undefined) this.#fail(broken, `request ${effect.waiterId} got a slot above a limit`);
    const ideal = oracle.ideal();
    if (ideal === undefined) this.#fail("E1", `request ${effect.waiterId} got a slot and may not run`);
    this.#judgeTurn(request, ideal);
    this.#judgeOrder(request);
    this.#count("LOG", true);
    if (ideal.request !== request) this.#fail("LOG", `${effect.waiterId} instead of ${ideal.request.waiterId}`);
    const grant = oracle.admit(ideal);
    if (effect.waitMs !== grant.waitMs)
      this.#fail("LOG", `waited ${grant.waitMs} ms at ${nowMs}, said ${effect.waitMs}`);
  }

  #limitBroken(request: OracleRequest): string | undefined {
    const { oracle } = this;
    const { tenant, key, pool } = request;
    this.#count("E2", true);
    this.#count("E3", Number.isFinite(tenant.cap));
    this.#count("E4", Number.isFinite(key.cap));
    this.#count("E5", oracle.world.ceiling < 4096);
    if (oracle.world.taken({ pool }) >= oracle.world.settingsOf(pool).size) return "E2";
    if (oracle.world.taken({ tenant }) >= tenant.cap) return "E3";
    if (oracle.world.taken({ key }) >= key.cap) return "E4";
    return oracle.world.running.length >= oracle.world.ceiling ? "E5" : undefined;
  }

  #judgeTurn(request: OracleRequest, ideal: Choice): void {
    const able = [...this.oracle.world.pools.values()].filter((pool) => pool.couldAdmit);
    this.#count("E6", able.length > 1);
    if (ideal.request.pool !== request.pool) {
      this.#fail("E6", `${request.pool} was served though it was the turn of ${ideal.request.pool}`);
    }
  }

  /** Whether group, tenant, key and request are those whose turn it is. */
  #judgeOrder(request: OracleRequest): void {
    const { oracle } = this;
    const pool = oracle.world.pools.get(request.pool);
    if (pool === undefined) return;
    const candidates = oracle.world.candidates(pool);
    if (oracle.world.config.algorithm === "weighted") {
      this.#count("E10", candidates.length > 1);
      this.#lowest(
        "E10",
        request.tenant,
        candidates.map((each) => each.tenant),
      );
    } else {
      const under = oracle.world.underShare(pool, candidates);
      this.#count("E16", under.length > 0 && under.length < candidates.length);
      const among = under.length > 0 ? under : candidates;
      if (!among.some((each) => each.tenant === request.tenant)) {
        this.#fail("E16", `${request.tenant.id} borrowed while another waits under its share`);
      }
      this.#count("E17", among.length > 1);
      this.#lowest(
        "E17",
        request.tenant.group,
        among.map((each) => each.tenant.group),
      );
      const siblings = among.map((each) => each.tenant).filter((tenant) => tenant.group === request.tenant.group);
      this.#lowest("E17", request.tenant, siblings);
    }
    const ready = oracle.world.readyKeys(request.tenant);
    this.#count("E33", ready.length > 1);
    this.#lowest("E33", request.key, ready);
    const oldest = oracle.world.waiting.find((each) => each.key === request.key);
    this.#count("E32", oracle.world.queued({ key: request.key }) > 1);
    if (oldest !== request) this.#fail("E32", `${request.waiterId} passed ${oldest?.waiterId} of its key`);
  }

  #lowest(property: string, chosen: Account, among: readonly Account[]): void {
    const least = Math.min(...among.map((account) => account.score));
    if (chosen.score > least)
      this.#fail(property, `${chosen.id} at ${chosen.score} was chosen, the lowest is ${least}`);
  }

  /** Compares every count, share and score with the oracle's. */
  #judgeReadings(nowMs: number): void {
    const told = new Map(this.#system.read(nowMs).map((reading) => [nameOf(reading), reading]));
    for (const wanted of readOracle(this.oracle.world)) {
      const reading = told.get(nameOf(wanted));
      if (reading === undefined) this.#fail("E42", `${nameOf(wanted)} is not reported`);
      if (reading.inFlight !== wanted.inFlight || reading.queued !== wanted.queued) {
        const said = `${reading.inFlight} + ${reading.queued}`;
        this.#fail("E31", `${nameOf(wanted)} has ${wanted.inFlight} + ${wanted.queued}, says ${said}`);
      }
      const hasShares = this.oracle.world.config.algorithm === "hierarchical" || wanted.level === "pool";
      if (hasShares && reading.share !== wanted.share) {
        this.#fail(
          wanted.level === "group" ? "E20" : "E42",
          `${nameOf(wanted)}: ${reading.share}, not ${wanted.share}`,
        );
      }
      if (Math.abs(reading.score - wanted.score) > 1e-9 * Math.max(1, Math.abs(wanted.score))) {
        const property = wanted.level === "pool" ? "E25" : "E23";
        this.#fail(property, `${nameOf(wanted)} stands at ${reading.score}, not ${wanted.score}`);
      }
      const before = this.#last.get(nameOf(wanted));
      this.#count("E24", before !== undefined && wanted.level !== "pool");
    }
    for (const id of ["E20", "E23", "E25", "E26", "E31", "E42"]) this.#count(id, this.oracle.world.running.length > 0);
    this.#last = told;
  }

  #count(property: string, isExercised: boolean): void {
    if (isExercised) this.checks.set(property, (this.checks.get(property) ?? 0) + 1);
  }

  #fail(property: string, message: string): never {
    throw new Breached({ property, message, nowMs: this.#nowMs });
  }
}

function nameOf(reading: Reading): string {
  return `${reading.pool} ${reading.level} ${reading.id}`;
}
