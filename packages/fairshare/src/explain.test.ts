import { describe, expect, it } from "vitest";
import { buildEngine, buildPool, type PoolSpec } from "../test/snapshot-builder";
import {
  type ExplainContext,
  type Explanation,
  explainTenant,
  explainWaiting,
  plainContext,
  poolFacts,
  reasonOf,
  waitingByReason,
} from "./explain";
import { actionWords, explanationWords, reasonLabel } from "./words";

interface Situation {
  readonly pool: PoolSpec;
  readonly context?: Partial<ExplainContext>;
  readonly ceiling?: number;
  readonly algorithm?: "hierarchical" | "weighted";
  readonly who?: string;
}

function explain({ pool, context, ceiling, algorithm, who = "nightly" }: Situation): Explanation {
  const snapshot = buildPool(pool);
  const engine = buildEngine([snapshot], { ceiling: ceiling ?? 4096, algorithm: algorithm ?? "hierarchical" });
  const tenant = snapshot.tenants.find((candidate) => candidate.tenantId === who);
  if (tenant === undefined) throw new Error(`no tenant ${who}`);
  return explainTenant(poolFacts(engine, snapshot, plainContext(context)), tenant);
}

const say = (explanation: Explanation) => explanationWords(explanation).sentences.join(" ");
const note = (explanation: Explanation) => explanationWords(explanation).note;
const full = (nightly: object, web: object): PoolSpec => ({
  size: 8,
  tenants: [
    { id: "nightly", ...nightly },
    { id: "web", ...web },
  ],
});

describe("one sentence for each reason", () => {
  it("says so where nothing waits", () => {
    const e = explain({ pool: full({ inFlight: 1 }, {}) });
    expect([e.reason, e.cause, e.actions]).toEqual(["not_waiting", null, []]);
    expect(say(e)).toBe("nightly has nothing waiting on llama.");
  });

  it("tells of refusals in the last hour where nothing waits", () => {
    const refused = { requests: 3, cause: "tokens per minute used up" };
    const e = explain({ pool: full({ inFlight: 1 }, {}), context: { refused } });
    expect([e.reason, e.cause]).toEqual(["not_waiting", "refused"]);
    expect(say(e)).toBe(
      "3 requests of nightly were refused in the last hour: tokens per minute used up. Refused requests do not wait.",
    );
    expect(e.actions.map((action) => action.route)).toEqual(["/tenants/nightly", "/usage/summary?tenant=nightly"]);
  });

  it.each([
    ["no_base_url", "it has no API base"],
    ["no_enabled_endpoint", "no endpoint is enabled"],
    ["no_ready_replica", "no backend replica is ready"],
  ] as const)("no_servers (%s)", (cause, words) => {
    const e = explain({ pool: full({ queued: 2 }, {}), context: { noServersCause: cause } });
    expect([e.reason, e.cause]).toEqual(["no_servers", cause]);
    expect(say(e)).toBe(
      `llama has nowhere to send a request: ${words}. New requests are refused at once; those waiting time out after 60 s.`,
    );
    const queueing = explain({
      pool: full({ queued: 2 }, {}),
      context: { noServersCause: cause, queueWithoutServers: true },
    });
    expect(say(queueing)).toContain("Requests wait for it and time out after 60 s.");
  });

  it("tenant_cap, and that only the cap is in the way while slots are free", () => {
    const e = explain({ pool: full({ inFlight: 2, queued: 4, cap: 2 }, { inFlight: 3 }) });
    expect(e.reason).toBe("tenant_cap");
    expect(say(e)).toBe(
      "nightly uses the 2 slots its cap on llama allows. 3 slots are free, so only the cap is in the way.",
    );
    expect(e.actions.map((action) => [action.method, action.route, action.value])).toEqual([
      ["PUT", "/tenants/nightly/model-caps/llama", 3],
      ["PATCH", "/tenants/nightly", 3],
    ]);
  });

  it("tenant_cap after the cap was cut below what runs, and from a model's own cap", () => {
    const e = explain({
      pool: full({ inFlight: 5, queued: 4, cap: 2 }, { inFlight: 3 }),
      context: { capSource: () => "model" },
    });
    expect(say(e)).toBe("nightly uses 5 slots; its cap on llama allows 2.");
    expect(e.actions.map((action) => action.kind)).toEqual(["change_model_cap"]);
  });

  it("key_cap when every waiting key is at its cap", () => {
    const keys = [
      { id: "mobile", cap: 2, inFlight: 2, queued: 14 },
      { id: "site", inFlight: 1 },
    ];
    const e = explain({ pool: full({ inFlight: 3, queued: 14, keys }, { inFlight: 1 }) });
    expect(e.reason).toBe("key_cap");
    expect(say(e)).toBe(
      "Key mobile is at its cap of 2, so its 14 requests wait. Other keys of nightly are not held back.",
    );
    expect(e.actions).toEqual([
      { kind: "raise_key_cap", method: "PATCH", route: "/keys/mobile", target: "mobile", value: 3 },
    ]);
  });

  it("a key at its cap beside one that is not gives a breakdown", () => {
    const keys = [
      { id: "mobile", cap: 2, inFlight: 2, queued: 14 },
      { id: "site", inFlight: 2, queued: 6 },
    ];
    const e = explain({ pool: full({ inFlight: 4, queued: 20, keys }, { inFlight: 4 }) });
    expect([e.reason, e.cause]).toEqual(["next_in_line", null]);
    expect(e.breakdown).toEqual([
      { reason: "key_cap", requests: 14 },
      { reason: "next_in_line", requests: 6 },
    ]);
    expect(explanationWords(e).breakdown).toBe("14 of 20 wait on a key's cap, 6 on the next free slot.");
  });

  it("global_ceiling while the pool itself has room", () => {
    const e = explain({ pool: full({ inFlight: 1, queued: 4 }, { inFlight: 3 }), ceiling: 4 });
    expect(e.reason).toBe("global_ceiling");
    expect(say(e)).toBe(
      "All pools together use 4 of the 4 slots the ceiling allows. llama has 4 free, and waiting pools take turns.",
    );
    expect(e.actions).toEqual([
      { kind: "raise_ceiling", method: "PUT", route: "/capacity", target: "llama", value: 8 },
    ]);
  });

  it("tells a split because Redis is away from one that was asked for", () => {
    const pool = { ...full({ inFlight: 4, queued: 4 }, { inFlight: 4 }), configuredSize: 24 };
    const e = explain({
      pool,
      context: { mode: "fallback", replicas: 3, modeSinceTsMs: Date.UTC(2026, 0, 1, 3, 12, 7) },
    });
    expect(e.reason).toBe("fallback_split");
    expect(say(e)).toBe(
      "Shared slots are unavailable since 03:12:07, so this gateway may use 8 of llama's 24 slots, all in use. Another gateway may have room.",
    );
    const split = explain({ pool, context: { mode: "split", replicas: 3 } });
    expect(say(split)).toContain("Shared slots are off, so this gateway may use 8");
    expect(explain({ pool, context: { mode: "shared", replicas: 3 } }).reason).toBe("next_in_line");
  });

  it("other_replica while a silent gateway has the slots", () => {
    const silentReplica = { instance: "gw-2", slots: 3, ageMs: 9000, leftMs: 6000 };
    const e = explain({
      pool: full({ inFlight: 4, queued: 4 }, { inFlight: 4 }),
      context: { mode: "shared", silentReplica },
    });
    expect([e.reason, e.cause]).toEqual(["other_replica", "silent_replica"]);
    expect(say(e)).toBe("3 slots of llama still belong to gateway gw-2, silent for 9 s. They come back within 6 s.");
  });

  it("other_replica after three lost claims, and where traffic is spread after ten seconds", () => {
    const context = { mode: "shared", lostClaims: () => 3 } as const;
    const e = explain({ pool: full({ inFlight: 4, queued: 4 }, { inFlight: 4 }), context });
    expect([e.reason, e.cause, e.actions[0]?.kind]).toEqual(["other_replica", "lost_claim", "open_cluster"]);
    expect(say(e)).toBe(
      "The gateways share llama's 8 slots; a freed one goes to whichever claims it first. This gateway lost its last 3 claims.",
    );
    const long = explain({ pool: full({ inFlight: 4, queued: 4, oldestWaitMs: 10_000 }, { inFlight: 4 }), context });
    expect(long.actions[0]?.kind).toBe("see_traffic");
    const two = explain({
      pool: full({ inFlight: 4, queued: 4 }, { inFlight: 4 }),
      context: { mode: "shared", lostClaims: () => 2 },
    });
    expect(two.reason).toBe("next_in_line");
  });

  it("held_slots when the held slots would reach its place", () => {
    const e = explain({
      pool: { ...full({ inFlight: 3, queued: 4 }, { inFlight: 4, held: 1 }), holdLeftMs: 2100 },
    });
    expect(e.reason).toBe("held_slots");
    expect(say(e)).toBe(
      "1 of llama's 8 slots is held for sessions about to send their next step, for at most 2.1 s. Without that, nightly would be running more.",
    );
    expect(e.actions.map((action) => action.route)).toEqual([
      "/models/llama/session-affinity",
      "/models/llama/session-affinity",
    ]);
  });

  it("below_share names the two biggest holders and the way out", () => {
    const pool: PoolSpec = {
      size: 12,
      tenants: [
        { id: "nightly", inFlight: 1, queued: 7 },
        { id: "web", inFlight: 6, aboveShareMs: 4000 },
        { id: "bot", inFlight: 4, held: 1 },
      ],
    };
    const e = explain({ pool });
    expect(e.reason).toBe("held_slots");
    const noHold = { ...pool, tenants: pool.tenants.map((t) => (t.id === "bot" ? { id: "bot", inFlight: 5 } : t)) };
    const below = explain({ pool: noHold });
    expect(below.reason).toBe("below_share");
    expect(below.holders.map((holder) => [holder.tenantId, holder.slots])).toEqual([
      ["web", 2],
      ["bot", 1],
    ]);
    expect(say(below)).toBe(
      "nightly has 1 of its 4 slots on llama. web has 2 above its share, bot 1; as those finish, tenants below their share go first.",
    );
    expect(below.actions.map((action) => [action.kind, action.route, action.value])).toEqual([
      ["see_holders", "/fairshare/live?pool=llama", null],
      ["boost_tenant", "/boosts", null],
      ["cap_holder", "/tenants/web/model-caps/llama", 4],
    ]);
  });

  it("next_in_line with the pace from twenty finishes on", () => {
    const spec = full({ inFlight: 4, queued: 4 }, { inFlight: 4 });
    expect(say(explain({ pool: spec }))).toBe(
      "nightly is first in line on llama: as things stand, the next free slot goes to it.",
    );
    expect(say(explain({ pool: { ...spec, finishes5m: 19 } }))).not.toContain("frees");
    const e = explain({ pool: { ...spec, finishes5m: 20 } });
    expect(say(e)).toContain("One frees about every 15 s.");
    expect([e.ahead, e.estimatedWaitMs]).toEqual([0, 15_000]);
  });

  it("tells a tenant at its share that more comes only while others leave theirs", () => {
    const e = explain({
      pool: { ...full({ inFlight: 4, queued: 4, score: 9 }, { inFlight: 4, queued: 1 }), finishes5m: 300 },
    });
    expect([e.reason, e.cause, e.ahead, e.estimatedWaitMs]).toEqual(["pool_full", "at_share", null, null]);
    expect(say(e)).toBe(
      "nightly has its share of llama, 4 of 4, and asks for 4 more. It gets extra slots only while others leave theirs unused.",
    );
    expect(e.actions.map((action) => [action.kind, action.value])).toEqual([
      ["raise_weight", null],
      ["grow_pool", 9],
    ]);
  });

  it("pool_full while nobody has more than its share", () => {
    const pool: PoolSpec = {
      size: 2,
      finishes5m: 600,
      tenants: [
        { id: "a", inFlight: 1, queued: 1 },
        { id: "b", inFlight: 1, queued: 1, score: 1 },
        { id: "nightly", queued: 2, score: 5 },
      ],
    };
    const e = explain({ pool });
    expect([e.reason, e.cause, e.position, e.ahead, e.estimatedWaitMs]).toEqual([
      "pool_full",
      "within_share",
      3,
      2,
      1500,
    ]);
    expect(say(e)).toBe(
      "llama is full and nobody has more than its share. nightly is 3rd in line; a slot frees about every 500 ms.",
    );
  });

  it("pool_full under the weighted algorithm speaks of the line only", () => {
    const pool = full({ inFlight: 4, queued: 4, score: 9 }, { inFlight: 4, queued: 1 });
    const e = explain({ pool, algorithm: "weighted" });
    expect([e.reason, e.cause]).toEqual(["pool_full", null]);
    expect(say(e)).toBe("llama is full. nightly is 2nd in line.");
  });
});

describe("the order of causes", () => {
  it("names the cap although the tenant is also below its share", () => {
    const e = explain({ pool: full({ inFlight: 1, queued: 4, cap: 1 }, { inFlight: 7 }) });
    expect(e.reason).toBe("tenant_cap");
  });

  it("names missing servers before a cap", () => {
    const e = explain({
      pool: full({ inFlight: 1, queued: 4, cap: 1 }, { inFlight: 7 }),
      context: { noServersCause: "no_ready_replica" },
    });
    expect(e.reason).toBe("no_servers");
  });

  it("is not below its share when only a cut list hides the capped keys", () => {
    const snapshot = buildPool(full({ inFlight: 1, queued: 4, keys: [] }, { inFlight: 7 }));
    const facts = poolFacts(buildEngine([snapshot]), snapshot, plainContext());
    expect(snapshot.tenants.map((tenant) => reasonOf(facts, tenant))).toEqual(["below_share", "not_waiting"]);
  });
});

describe("holders", () => {
  it("are the siblings only, while the tenant's group has all of its own slots", () => {
    const pool: PoolSpec = {
      size: 6,
      groupWeights: { api: 100, batch: 10 },
      tenants: [
        { id: "t1", group: "api", weight: 3, inFlight: 4, queued: 2 },
        { id: "t4", group: "api", weight: 7, inFlight: 1, queued: 9, cap: 1 },
        { id: "nightly", group: "batch", weight: 10, queued: 9 },
        { id: "t5", group: "batch", weight: 3, inFlight: 1, queued: 5 },
      ],
    };
    const e = explain({ pool });
    expect([e.reason, e.holders.map((holder) => holder.tenantId)]).toEqual(["below_share", ["t5"]]);
  });
});

describe("notes", () => {
  const waiting = full({ inFlight: 4, queued: 4 }, { inFlight: 4 });

  it("over_size says how many must finish first", () => {
    const e = explain({ pool: { ...waiting, size: 6 } });
    expect(e.notes[0]).toEqual({ note: "over_size", size: 6, inUse: 8, mustFinish: 3 });
    expect(note(e)).toBe("llama was cut to 6 slots while 8 were in use; nothing starts until 3 have finished.");
  });

  it("says that groups take turns where they outnumber the slots", () => {
    const pool: PoolSpec = {
      size: 1,
      tenants: [
        { id: "nightly", group: "a", queued: 1 },
        { id: "web", group: "b", inFlight: 1 },
      ],
    };
    expect(note(explain({ pool }))).toBe("1 slot for 2 active groups: each counts as having one, and they take turns.");
  });

  it("says what part of a cap that is split over gateways counts here", () => {
    const e = explain({
      pool: full({ inFlight: 2, queued: 4, cap: 2 }, { inFlight: 3 }),
      context: { mode: "fallback", replicas: 3, configuredCap: () => 5 },
    });
    expect(note(e)).toBe("Its cap of 5 is split over 3 gateways: 2 here.");
  });

  it("says how many slots under the cap in the way are held", () => {
    const e = explain({ pool: full({ inFlight: 1, held: 1, queued: 4, cap: 2 }, { inFlight: 3 }) });
    expect(note(e)).toBe("1 of these is a held slot.");
  });

  it("bypass_limit, but not for a tenant at its cap", () => {
    const context = { affinity: () => ({ maxBypassMs: 30_000, maxJumps: 8 }) };
    const old = { inFlight: 4, queued: 4, oldestWaitMs: 31_000 };
    expect(note(explain({ pool: full(old, { inFlight: 4 }), context }))).toBe(
      "Its oldest request has waited 31 s: nothing passes it any more, and llama holds no slots until it has run.",
    );
    expect(note(explain({ pool: full({ ...old, cap: 4 }, { inFlight: 4 }), context }))).toBeNull();
  });

  it("passed_by_warm names the key that was passed most often, and nobody while none was", () => {
    const context = { affinity: () => ({ maxBypassMs: 30_000, maxJumps: 8 }) };
    const keys = [
      { id: "desktop", queued: 1, jumps: 1 },
      { id: "mobile", inFlight: 4, queued: 3, jumps: 3 },
    ];
    expect(note(explain({ pool: full({ inFlight: 4, queued: 4, keys }, { inFlight: 4 }), context }))).toBe(
      "A request of mobile was passed 3 of at most 8 times by warm sessions; after that it goes first.",
    );
    expect(note(explain({ pool: waiting, context }))).toBeNull();
  });

  it("boosted names the holder first", () => {
    const boost = { factor: 3, expiresTsMs: Date.UTC(2026, 0, 1, 4, 30) };
    const pool = full({ inFlight: 1, queued: 4 }, { inFlight: 7 });
    expect(note(explain({ pool, context: { boost: () => boost } }))).toBe("web is boosted x3 until 04:30.");
    const own = { boost: (id: string) => (id === "nightly" ? boost : null) };
    expect(note(explain({ pool, context: own }))).toBe("nightly is boosted x3 until 04:30.");
  });

  it("says when only one gateway's slots are seen", () => {
    expect(note(explain({ pool: waiting, context: { isPartialView: true } }))).toContain("Seen from this gateway only");
  });

  it("none while nothing waits", () => {
    expect(explain({ pool: full({ inFlight: 9 }, {}), context: { isPartialView: true } }).notes).toEqual([]);
  });
});

describe("words", () => {
  it("does not explain a wait that is over before it is read", () => {
    const e = explain({ pool: full({ inFlight: 4, queued: 1, oldestWaitMs: 249 }, { inFlight: 4 }) });
    expect(explanationWords(e)).toEqual({ sentences: ["Waiting for under a second."], note: null, breakdown: null });
  });

  it("shows the code of a reason it does not know", () => {
    const e = explain({ pool: full({ inFlight: 4, queued: 1 }, { inFlight: 4 }) });
    expect(say({ ...e, reason: "moon_phase" as never })).toBe("Waiting (moon_phase).");
    expect(reasonLabel("moon_phase")).toBe("Waiting (moon_phase)");
    expect(reasonLabel("constructor")).toBe("Waiting (constructor)");
    expect(reasonLabel("below_share")).toBe("Below share");
  });

  it("labels every action", () => {
    const e = explain({ pool: full({ inFlight: 1, queued: 4 }, { inFlight: 7 }) });
    expect(e.actions.map(actionWords)).toEqual([
      "See who has slots above their share",
      "Boost nightly",
      "Cap web on this model at 4",
    ]);
  });
});

describe("a whole pool", () => {
  it("explains each waiting tenant once, in picking order, and its reasons sum to the queue", () => {
    const pool = buildPool({
      size: 6,
      tenants: [
        { id: "a", inFlight: 4, queued: 3, score: 5 },
        { id: "b", inFlight: 1, queued: 2, score: 1 },
        { id: "c", inFlight: 1, queued: 4, cap: 1, score: 2 },
        { id: "d", score: 2 },
      ],
    });
    const facts = poolFacts(buildEngine([pool]), pool, plainContext());
    expect(explainWaiting(facts).map((e) => [e.tenantId, e.reason])).toEqual([
      ["b", "below_share"],
      ["c", "tenant_cap"],
      ["a", "pool_full"],
    ]);
    expect([...waitingByReason(facts)].sort()).toEqual([
      ["below_share", 2],
      ["pool_full", 3],
      ["tenant_cap", 4],
    ]);
  });
});
