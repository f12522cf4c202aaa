/** Random histories of the books: what replicas may do to them, drawn small so that limits, marks and holds collide. */
import { keyId, poolId, sessionId, tenantId } from "@obleth/fairshare";
import fc from "fast-check";
import type { ClaimOperation, SlotOperation } from "../src/slots/slot-store";

export const INSTANCES = ["a", "b", "c"] as const;
export type InstanceName = (typeof INSTANCES)[number];

export type SlotCommand =
  | {
      readonly kind: "run";
      readonly instance: InstanceName;
      readonly isStale: boolean;
      readonly operations: readonly SlotOperation[];
    }
  /** Asserts what the replica believes to hold, off by `drift` slots of one owner. */
  | { readonly kind: "heartbeat"; readonly instance: InstanceName; readonly lost: number }
  | { readonly kind: "leave"; readonly instance: InstanceName }
  | { readonly kind: "pass"; readonly ms: number }
  | { readonly kind: "corrupt"; readonly slots: number }
  | { readonly kind: "flush" };

const POOLS = ["chat", "em|bed{}"];
const OWNERS = POOLS.flatMap((pool) => [
  { pool: poolId(pool), tenantId: tenantId("acme"), keyId: keyId("k1") },
  { pool: poolId(pool), tenantId: tenantId("acme"), keyId: keyId("k2") },
  { pool: poolId(pool), tenantId: tenantId("__proto__"), keyId: keyId("%7C") },
]);
export const SOME_OWNER = OWNERS[0] ?? { pool: poolId("chat"), tenantId: tenantId("acme"), keyId: keyId("k1") };

/** A claim of one owner that nothing but the pool and the ceiling can refuse. */
export const PLAIN_CLAIM: ClaimOperation = {
  kind: "claim",
  ...SOME_OWNER,
  poolSize: 8,
  ceiling: 20,
  tenantCap: null,
  keyCap: null,
  session: null,
  sinceArrivalMs: 0,
  isForHoldOnly: false,
  isStarving: false,
};

// One owner and one session come up most, so that holds are redeemed and renewed and limits are met.
const owner = fc.oneof(
  { weight: 5, arbitrary: fc.constant(SOME_OWNER) },
  { weight: 4, arbitrary: fc.constantFrom(...OWNERS) },
);
const session = fc.constantFrom(sessionId("s1"), sessionId("s1"), sessionId("s|2"));
const ms = fc.constantFrom(0, 0, 0, 1, 40, 249, 250, 251, 999, 1000, 3000);

const claim: fc.Arbitrary<SlotOperation> = fc
  .record({
    kind: fc.constant("claim" as const),
    who: owner,
    poolSize: fc.integer({ min: 1, max: 4 }),
    ceiling: fc.integer({ min: 1, max: 5 }),
    tenantCap: fc.option(fc.integer({ min: 1, max: 2 }), { freq: 3 }),
    keyCap: fc.option(fc.integer({ min: 1, max: 2 }), { freq: 3 }),
    session: fc.option(session, { freq: 3 }),
    sinceArrivalMs: ms,
    isForHoldOnly: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
    isStarving: fc.integer({ min: 0, max: 19 }).map((n) => n === 0),
    freesKeyHolds: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    othersWaiting: fc.constantFrom(0, 0, 1, 3),
  })
  .map(({ who, ...rest }) => ({ ...rest, isForHoldOnly: rest.isForHoldOnly && rest.session !== null, ...who }));

const release: fc.Arbitrary<SlotOperation> = owner.map((who) => ({ kind: "release", ...who }));

const hold: fc.Arbitrary<SlotOperation> = fc
  .record({
    kind: fc.constant("hold" as const),
    who: owner,
    session,
    sinceArrivalMs: ms,
    sinceLastFinishMs: fc.option(ms, { freq: 3 }),
    holdMs: fc.constantFrom(0, 250, 3000),
    keepMs: fc.constantFrom(3000, 5000),
    maxHeld: fc.constantFrom(0, 1, 2, 2),
    maxJumps: fc.integer({ min: 1, max: 2 }),
  })
  .map(({ who, ...rest }) => ({ ...rest, ...who }));

const withdraw: fc.Arbitrary<SlotOperation> = fc
  .option(owner, { freq: 3 })
  .map((who) => ({ kind: "withdraw", pool: who?.pool ?? null }));

const drop: fc.Arbitrary<SlotOperation> = owner.map(({ pool }) => ({ kind: "drop-holds", pool }));

const operation = fc.oneof(
  { weight: 6, arbitrary: claim },
  { weight: 3, arbitrary: release },
  { weight: 5, arbitrary: hold },
  { weight: 1, arbitrary: withdraw },
  { weight: 1, arbitrary: drop },
);

const instance = fc.constantFrom(...INSTANCES);

const command: fc.Arbitrary<SlotCommand> = fc.oneof(
  {
    weight: 40,
    arbitrary: fc.record({
      kind: fc.constant("run" as const),
      instance,
      isStale: fc.integer({ min: 0, max: 14 }).map((n) => n === 0),
      operations: fc.array(operation, { minLength: 1, maxLength: 6 }),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("heartbeat" as const),
      instance,
      lost: fc.constantFrom(0, 0, 0, 1),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("leave" as const), instance }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("pass" as const),
      ms: fc.constantFrom(1, 50, 250, 499, 500, 1000, 3000, 9999, 10_000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("corrupt" as const), slots: fc.integer({ min: -2, max: 3 }) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "flush" as const }) },
);

/** A history that begins with every replica's first heartbeat. */
export const slotHistories = (maxLength: number): fc.Arbitrary<SlotCommand[]> =>
  fc
    .array(command, { minLength: 10, maxLength, size: "max" })
    .map((commands) => [
      ...INSTANCES.map((name) => ({ kind: "heartbeat" as const, instance: name, lost: 0 })),
      ...commands,
    ]);

/** Histories that reach the rarer answers for certain: a hold that is redeemed, and one that is renewed. */
export function exampleHistories(): [SlotCommand[]][] {
  const start = INSTANCES.map((name) => ({ kind: "heartbeat" as const, instance: name, lost: 0 }));
  const limits = { poolSize: 4, ceiling: 5, tenantCap: null, keyCap: null, isForHoldOnly: false, isStarving: false };
  const step = { ...SOME_OWNER, session: sessionId("s1"), sinceArrivalMs: 0 };
  const one: SlotOperation = { kind: "claim", ...step, ...limits };
  const over: SlotOperation = {
    kind: "hold",
    ...step,
    sinceLastFinishMs: 0,
    holdMs: 3000,
    keepMs: 5000,
    maxHeld: 2,
    maxJumps: 2,
  };
  const by = (instance: InstanceName, ...operations: SlotOperation[]): SlotCommand => ({
    kind: "run",
    instance,
    isStale: false,
    operations,
  });
  const redeemed: SlotCommand[] = [...start, by("a", one, over), by("b", one), { kind: "pass", ms: 250 }];
  const renewed: SlotCommand[] = [...start, by("a", one), by("b", one), by("a", over), by("b", over)];
  return [[redeemed], [renewed]];
}
