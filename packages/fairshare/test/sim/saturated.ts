/** A pool whose flows always have a queue, or come and go in spells: what was admitted and finished, in order. */
import { waiterId } from "../../src/ids";
import type { KeyPolicy, TenantPolicy } from "../../src/policy";
import { Agenda } from "./agenda";
import { type Stepper, sizeOf } from "./open-loop";
import type { Rng } from "./rng";

export interface Flow {
  readonly tenant: TenantPolicy;
  readonly key: KeyPolicy;
  /** A request's cost is drawn from these. */
  readonly costs: readonly number[];
  /** Arrives only when this many requests have been admitted in all, and leaves later; always there by default. */
  readonly from?: number;
  readonly until?: number;
}

export interface Admission {
  readonly flow: number;
  readonly costTokens: number;
  readonly waiterId: number;
  /** Admissions of others since it was first in its flow. */
  readonly passedBy: number;
  /** Running before this admission, by flow. */
  readonly running: readonly number[];
}

export interface SaturatedLog {
  /** From the moment every flow that is there from the start waits. */
  readonly admissions: readonly Admission[];
  /** Flow and cost of finished requests, with the number of admissions before each. */
  readonly finishes: readonly { flow: number; costTokens: number; admissions: number }[];
}

/** Keeps `depth` requests of each present flow waiting until `count` admissions were made. */
export function runSaturated(given: {
  system: Stepper;
  rng: Rng;
  flows: readonly Flow[];
  slots: number;
  count: number;
  depth?: number;
  /** Run time of the n-th admission; random by default. */
  runMs?: (admission: number) => number;
}): SaturatedLog {
  const { system, rng, flows, slots, count, depth = 3 } = given;
  const runMs = given.runMs ?? (() => rng.int(1, 20));
  const agenda = new Agenda<number>();
  const flowOf = new Map<number, { flow: number; costTokens: number }>();
  const waiting = flows.map(() => 0);
  const running = flows.map(() => 0);
  const firstSince = flows.map(() => 0);
  const admissions: Admission[] = [];
  const finishes: { flow: number; costTokens: number; admissions: number }[] = [];
  let latestId = 0;
  let total = 0;
  let isRecording = false;
  let nowMs = 0;

  const send = (event: Parameters<Stepper["step"]>[0]) => {
    for (const effect of system.step(event, nowMs)) {
      if (effect.kind !== "grant") continue;
      const owner = flowOf.get(effect.waiterId);
      if (owner === undefined) continue;
      const { flow, costTokens } = owner;
      if (effect.outcome === "queued") waiting[flow] = (waiting[flow] ?? 0) - 1;
      if (isRecording) {
        const passedBy = total - (firstSince[flow] ?? 0);
        admissions.push({ flow, costTokens, waiterId: effect.waiterId, passedBy, running: [...running] });
      }
      total += 1;
      firstSince[flow] = total;
      running[flow] = (running[flow] ?? 0) + 1;
      agenda.add(nowMs + runMs(total), effect.waiterId);
    }
  };
  const arrive = (flow: Flow, index: number) => {
    latestId += 1;
    const costTokens = rng.pick(flow.costs);
    flowOf.set(latestId, { flow: index, costTokens });
    if (waiting[index] === 0) firstSince[index] = total;
    waiting[index] = (waiting[index] ?? 0) + 1;
    const before = total;
    const { tenant, key } = flow;
    const pool = "pool" as never;
    send({
      kind: "arrive",
      waiterId: waiterId(latestId),
      pool,
      tenant,
      key,
      costTokens,
      session: null,
      timeoutMs: null,
    });
    if (total > before) waiting[index] = Math.max(0, (waiting[index] ?? 0) - 1);
  };
  const fill = () => {
    const before = total;
    flows.forEach((flow, index) => {
      const isThere = total >= (flow.from ?? 0) && total < (flow.until ?? Number.POSITIVE_INFINITY);
      while (isThere && (waiting[index] ?? 0) < depth && total === before) arrive(flow, index);
    });
    return total > before;
  };

  send(sizeOf("pool", slots));
  while (fill());
  isRecording = true;
  while (admissions.length < count) {
    const next = agenda.take();
    if (next === undefined) break;
    nowMs = next.atMs;
    const owner = flowOf.get(next.item);
    if (owner !== undefined) {
      running[owner.flow] = (running[owner.flow] ?? 0) - 1;
      finishes.push({ ...owner, admissions: admissions.length });
    }
    send({ kind: "finish", waiterId: waiterId(next.item), actualTokens: null });
    while (fill());
  }
  return { admissions, finishes };
}
