import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { explainTenant, explainWaiting, plainContext, poolFacts, waitingByReason } from "../src/explain";
import { type PreviewChange, previewChanges } from "../src/preview";
import { explanationWords } from "../src/words";
import { buildEngine, buildPool, type PoolSpec } from "./snapshot-builder";

const weight = fc.oneof(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 1000 }));
const tenantSpec = fc.record({
  group: fc.constantFrom("a", "b", "c"),
  weight,
  cap: fc.option(fc.integer({ min: 1, max: 8 }), { nil: null }),
  inFlight: fc.integer({ min: 0, max: 6 }),
  queued: fc.integer({ min: 0, max: 6 }),
  held: fc.integer({ min: 0, max: 1 }),
  score: fc.integer({ min: 0, max: 5 }),
});
const poolSpec: fc.Arbitrary<PoolSpec> = fc.record({
  size: fc.integer({ min: 1, max: 40 }),
  groupWeights: fc.record({ a: weight, b: weight, c: weight }),
  finishes5m: fc.constantFrom(0, 40),
  tenants: fc
    .array(tenantSpec, { minLength: 1, maxLength: 10 })
    .map((list) => list.map((tenant, i) => ({ ...tenant, id: `t${i}` })))
    .map((list) => list.filter((tenant) => tenant.inFlight + tenant.queued + tenant.held > 0))
    .filter((list) => list.length > 0),
});
const algorithm = fc.constantFrom("hierarchical" as const, "weighted" as const);
const weightChange: fc.Arbitrary<PreviewChange> = fc.oneof(
  fc.record({ kind: fc.constant("group_weight" as const), id: fc.constantFrom("a", "b", "c"), value: weight }),
  fc.record({
    kind: fc.constant("tenant_weight" as const),
    id: fc.integer({ min: 0, max: 9 }).map((i) => `t${i}`),
    value: weight,
  }),
  fc.record({ kind: fc.constant("admission_weight" as const), id: fc.constant("llama"), value: weight }),
);
const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

describe("previews", () => {
  it("weight changes sum to zero in every pool, and donors give what gainers get", () => {
    fc.assert(
      fc.property(
        poolSpec,
        algorithm,
        fc.array(weightChange, { minLength: 1, maxLength: 4 }),
        (spec, mode, changes) => {
          const engine = buildEngine([buildPool(spec)], { algorithm: mode });
          for (const pool of previewChanges({ engine, changes }).pools) {
            for (const parts of [pool.tenants, pool.groups]) {
              expect(sum(parts.map((part) => part.slots.after - part.slots.before))).toBe(0);
              expect(sum(parts.map((part) => part.fairShare.after - part.fairShare.before))).toBeCloseTo(0, 6);
            }
            expect(sum(pool.donors.map((mover) => mover.slots))).toBe(sum(pool.gainers.map((mover) => mover.slots)));
          }
        },
      ),
      { numRuns: 1500 },
    );
  });

  it("a draft that changes nothing moves nothing, and before equals the live split", () => {
    fc.assert(
      fc.property(poolSpec, (spec) => {
        const live = buildPool(spec);
        const [pool] = previewChanges({ engine: buildEngine([live]), changes: [], pool: "llama" }).pools;
        expect(pool?.moved).toBe(0);
        for (const tenant of live.tenants) {
          expect(pool?.tenants.find((part) => part.id === tenant.tenantId)?.slots).toEqual({
            before: tenant.slotShare,
            after: tenant.slotShare,
          });
        }
        for (const group of live.groups) {
          expect(pool?.groups.find((part) => part.id === group.name)?.slots.before).toBe(group.slotCap);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("a size change sums to its difference, and demand settles within the pool, the caps and what is wanted", () => {
    fc.assert(
      fc.property(poolSpec, algorithm, fc.integer({ min: 1, max: 60 }), (spec, mode, value) => {
        const engine = buildEngine([buildPool(spec)], { algorithm: mode });
        const [pool] = previewChanges({ engine, changes: [{ kind: "pool_size", id: "llama", value }] }).pools;
        if (pool === undefined) throw new Error("a size change always touches its pool");
        expect(sum(pool.tenants.map((part) => part.slots.after - part.slots.before))).toBe(value - spec.size);
        let spare = value;
        let unmet = 0;
        for (const tenant of spec.tenants) {
          const part = pool.tenants.find((each) => each.id === tenant.id);
          const wanted = (tenant.inFlight ?? 0) + (tenant.queued ?? 0) + (tenant.held ?? 0);
          const reach = Math.min(wanted, tenant.cap ?? Number.POSITIVE_INFINITY);
          const settled = part?.settled.after ?? 0;
          expect(settled).toBeLessThanOrEqual(reach);
          expect(settled).toBeGreaterThanOrEqual(Math.min(reach, part?.slots.after ?? 0));
          spare -= settled;
          unmet += reach - settled;
        }
        expect(spare).toBeGreaterThanOrEqual(0);
        expect(Math.min(spare, unmet)).toBe(0);
      }),
      { numRuns: 1500 },
    );
  });

  it("the next step up is the smallest weight that changes its own slots", () => {
    fc.assert(
      fc.property(poolSpec, fc.constantFrom("a", "b", "c"), fc.integer({ min: 1, max: 60 }), (spec, id, value) => {
        const engine = buildEngine([buildPool(spec)]);
        const at = (weightNow: number) =>
          previewChanges({ engine, changes: [{ kind: "group_weight", id, value: weightNow }] }).pools[0];
        const step = at(value)?.nextSteps[0];
        if (step === undefined) return;
        const slots = (weightNow: number) => at(weightNow)?.groups.find((group) => group.id === id)?.slots.after;
        expect(step.slots).toBe(slots(value));
        if (step.up !== null) {
          expect(slots(step.up.value)).toBe(step.up.slots);
          expect(slots(step.up.value - 1)).toBe(step.slots);
        } else expect(slots(1_000_000)).toBe(step.slots);
        if (step.down !== null) {
          expect(slots(step.down.value)).toBe(step.down.slots);
          expect(slots(step.down.value + 1)).toBe(step.slots);
        } else expect(slots(1)).toBe(step.slots);
      }),
      { numRuns: 400 },
    );
  });
});

describe("explanations", () => {
  it("each waiting tenant has exactly one reason, and the breakdown sums to what waits", () => {
    fc.assert(
      fc.property(poolSpec, algorithm, fc.integer({ min: 1, max: 60 }), (spec, mode, ceiling) => {
        const pool = buildPool(spec);
        const facts = poolFacts(buildEngine([pool], { ceiling, algorithm: mode }), pool, plainContext());
        const waiting = explainWaiting(facts);
        expect(waiting.length).toBe(pool.tenants.filter((tenant) => tenant.queued > 0).length);
        for (const explanation of waiting) {
          expect(explanation.reason).not.toBe("not_waiting");
          expect(sum(explanation.breakdown.map((part) => part.requests))).toBe(explanation.numbers.queued);
        }
        expect(sum([...waitingByReason(facts).values()])).toBe(pool.queued);
      }),
      { numRuns: 1500 },
    );
  });

  it("says at most two sentences and a note, each below thirty words", () => {
    fc.assert(
      fc.property(poolSpec, fc.integer({ min: 1, max: 60 }), fc.boolean(), (spec, ceiling, isPartialView) => {
        const pool = buildPool(spec);
        const facts = poolFacts(buildEngine([pool], { ceiling }), pool, plainContext({ isPartialView }));
        for (const tenant of pool.tenants) {
          const { sentences, note } = explanationWords(explainTenant(facts, tenant));
          expect(sentences.length).toBeGreaterThanOrEqual(1);
          expect(sentences.length).toBeLessThanOrEqual(2);
          for (const sentence of [...sentences, ...(note === null ? [] : [note])]) {
            expect(sentence.split(" ").length).toBeLessThan(30);
            expect(sentence).toMatch(/\.$/);
            expect(sentence).not.toMatch(/undefined|null|NaN|Infinity/);
          }
        }
      }),
      { numRuns: 1500 },
    );
  });
});
