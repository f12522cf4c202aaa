import { poolId, tenantId } from "@obleth/fairshare";
import { explainTenant, poolFacts } from "@obleth/fairshare/explain";
import { expect, it } from "vitest";
import { type ExplainSources, explainContextOf } from "./explain-facts";
import { mergeEngines } from "./merge-views";
import { sampleEngine, sampleKeyRow, sampleMoment, samplePoolRow, sampleTenantRow } from "./testing/snapshot-samples";

const sources: ExplainSources = {
  names: { tenant: () => undefined, group: () => undefined, keyName: () => "mobile" },
  models: { find: () => undefined, list: () => [] },
  replica: {
    instance: "gateway-1",
    startedTsMs: 0,
    sharedSlots: true,
    replicaAware: true,
    defaultModelMaxInFlight: 32,
    admissionTimeoutMs: 60_000,
    maxJumps: 8,
  },
  noServersCause: () => null,
  maxBypassMs: () => 30_000,
};

/** One gateway's picture: a tenant waits, and its key's oldest request there was passed so often. */
function replica(jumps: number) {
  const waiting = { inFlight: 1, queued: 2, position: 1 };
  return sampleEngine([
    samplePoolRow("sim-chat", {
      ...waiting,
      size: 2,
      tenants: [sampleTenantRow("acme", waiting)],
      keys: [sampleKeyRow("key", "acme", { inFlight: 1, queued: 2, jumps })],
    }),
  ]);
}

it("says how often warm sessions passed a request on any gateway, and how often they may", () => {
  const engine = mergeEngines([replica(1), replica(3)]);
  const context = explainContextOf(sampleMoment(engine), poolId("sim-chat"), sources);
  const [pool] = engine.pools;
  const tenant = pool?.tenants.find((one) => one.tenantId === tenantId("acme"));
  if (pool === undefined || tenant === undefined) throw new Error("the sample has a pool with a tenant");
  const { notes } = explainTenant(poolFacts(engine, pool, context), tenant);
  expect(notes).toContainEqual({ note: "passed_by_warm", keyName: "mobile", jumps: 3, maxJumps: 8 });
});
