/** What session affinity costs the engine: nothing while it is off, and how much while it is on. */

import { type Figure, ratioFigure, valueFigure } from "../../../scripts/figure";
import type { AffinitySettings, SessionId, WaiterId } from "../src/index";
import { createEngine, poolId, step, waiterId } from "../src/index";
import { makePeople, type Person } from "./people";
import { alternate, cpuMicrosOf } from "./rounds";

const POOL = poolId("pool");
const SLOTS = 64;
const PEOPLE = 1000;
const TURNS = 60_000;
const ON: AffinitySettings = { holdMs: 3_000, maxHeldPercent: 25, maxBypassMs: 30_000 };

export async function sessionAffinity(rounds: number): Promise<Figure[]> {
  const off = await alternate(rounds + 4, turns(null, true), turns(null, false));
  const on = await alternate(rounds, turns(ON, true), turns(null, true));
  return [
    ratioFigure("a turn with session ids and affinity off, beside no ids", off, {
      unit: "us",
      atMost: 1.1,
      stretch: 1.03,
    }),
    valueFigure("a turn with affinity on", on.own, { unit: "us" }),
    valueFigure("a turn with affinity off, measured beside it", on.beside, { unit: "us" }),
  ];
}

/** CPU of one turn, one request ends and its session's next one comes, in microseconds; two of each wait all the time. */
function turns(affinity: AffinitySettings | null, hasIds: boolean): () => number {
  const people = makePeople(PEOPLE);
  const sessions = people.map((_, i) => `session-${i}` as SessionId);
  const state = createEngine({});
  const running: WaiterId[] = [];
  let latestId = 0;
  let nowMs = 0;
  const send = (event: Parameters<typeof step>[1]) => {
    for (const effect of step(state, event, nowMs)) if (effect.kind === "grant") running.push(effect.waiterId);
  };
  const ask = (who: number) => {
    latestId += 1;
    const { tenant, key } = people[who] as Person;
    const session = hasIds ? (sessions[who] as SessionId) : null;
    send({
      kind: "arrive",
      waiterId: waiterId(latestId),
      pool: POOL,
      tenant,
      key,
      costTokens: 100,
      session,
      timeoutMs: null,
    });
  };
  const setUp = { size: SLOTS, admissionWeight: 100, routed: true, hasServers: true, queueWithoutServers: false };
  send({ kind: "pool_changed", pool: POOL, affinity, ...setUp });
  for (let i = 0; i < 2 * PEOPLE; i++) ask(i % PEOPLE);
  return () =>
    cpuMicrosOf(() => {
      for (let i = 0; i < TURNS; i++) {
        nowMs += 1;
        const over = running.shift();
        if (over !== undefined) send({ kind: "finish", waiterId: over, actualTokens: null });
        ask(latestId % PEOPLE);
      }
    }) / TURNS;
}
