/** Short command sequences that shrink: what a random history finds, these show in a few lines. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { waiterId } from "../src/ids";
import { Judge } from "./sim/judge";
import { plainKey, plainTenant, sizeOf } from "./sim/open-loop";
import { EngineSystem } from "./sim/systems";

type Command =
  | {
      readonly do: "arrive";
      tenant: number;
      key: number;
      weight: number;
      cap: number | null;
      cost: number;
      timeout: boolean;
    }
  | { readonly do: "finish" | "cancel" | "finish_again"; readonly pick: number }
  | { readonly do: "advance"; readonly ms: number }
  | { readonly do: "resize"; readonly size: number };

const pick = fc.nat({ max: 30 });
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("arrive" as const),
      tenant: fc.integer({ min: 0, max: 3 }),
      key: fc.integer({ min: 0, max: 1 }),
      weight: fc.constantFrom(1, 2, 50, 100),
      cap: fc.constantFrom(null, null, 1, 2),
      cost: fc.constantFrom(0, 1, 100),
      timeout: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("finish" as const, "cancel", "finish_again"), pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("advance" as const), ms: fc.integer({ min: 0, max: 60 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("resize" as const), size: fc.integer({ min: 1, max: 4 }) }) },
);

/** Two groups of two tenants; requests time out after 50 ms. */
function play(algorithm: "hierarchical" | "weighted", commands: readonly Command[]) {
  const config = { algorithm, defaultPoolSize: 2, ceiling: 4096 };
  const system = new EngineSystem(config);
  const judge = new Judge({ config, system, readEvery: 1 });
  const running: number[] = [];
  const over: number[] = [];
  let nowMs = 0;
  let latestId = 0;
  const send = (event: Parameters<Judge["see"]>[0]) => {
    const effects = system.step(event, nowMs);
    judge.see(event, nowMs, effects);
    for (const effect of effects) if (effect.kind === "grant") running.push(effect.waiterId);
  };
  for (const each of commands) {
    switch (each.do) {
      case "arrive": {
        latestId += 1;
        const id = `t${each.tenant}`;
        const tenant = plainTenant(id, { group: `g${each.tenant % 2}`, weight: each.weight });
        send({
          kind: "arrive",
          waiterId: waiterId(latestId),
          pool: "pool" as never,
          tenant: { ...tenant, maxInFlight: each.cap },
          key: plainKey(`${id}-k${each.key}`),
          costTokens: each.cost,
          session: null,
          timeoutMs: each.timeout ? 50 : null,
        });
        break;
      }
      case "finish": {
        const [id] = running.splice(each.pick % Math.max(1, running.length), 1);
        if (id === undefined) break;
        over.push(id);
        send({ kind: "finish", waiterId: waiterId(id), actualTokens: null });
        break;
      }
      case "finish_again": {
        const id = over[each.pick % Math.max(1, over.length)];
        if (id !== undefined) send({ kind: "finish", waiterId: waiterId(id), actualTokens: null });
        break;
      }
      case "cancel":
        send({ kind: "cancel", waiterId: waiterId(1 + (each.pick % Math.max(1, latestId))) });
        break;
      case "advance":
        nowMs += each.ms;
        send({ kind: "wake" });
        break;
      case "resize":
        send(sizeOf("pool", each.size));
        break;
    }
  }
  return judge.breach;
}

describe("E26 E27 E29 E30 E31 E42 command sequences", () => {
  it.each(["hierarchical", "weighted"] as const)("%s: every count, score and decision is the model's", (algorithm) => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
        expect(play(algorithm, commands)).toBeUndefined();
      }),
      { numRuns: 600 },
    );
  });
});
