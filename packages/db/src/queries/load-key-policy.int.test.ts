import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ChangeContext } from "../commands/change";
import { createBoost } from "../commands/create-boost";
import { createKey } from "../commands/create-key";
import { createModel } from "../commands/create-model";
import { createTenant } from "../commands/create-tenant";
import { rotateKey } from "../commands/rotate-key";
import { setModelCap } from "../commands/set-model-cap";
import { createTestDatabase, type TestDatabase } from "../testing";
import { findKeyPolicy, touchPreviousSecret } from "./load-key-policy";
import { loadModels } from "./load-models";

const NOW = Date.UTC(2026, 10, 30, 9);
const context: ChangeContext = { actor: "tester", source: "api", requestId: null, nowMs: NOW };
const noBudget = { budgetTokens: null, budgetCostUsd: null, budgetPeriod: "monthly", budgetStartedAt: null } as const;

const modelFields = {
  aliases: [] as string[],
  type: "chat",
  enabled: true,
  maxInFlight: null,
  capacityMode: "static",
  capacitySource: "endpoints",
  perReplicaMaxInFlight: null,
  capacityHeadroom: 1,
  kubernetes: null,
  dns: null,
  admissionWeight: 100,
  sessionAffinity: {},
  endpointSelection: "failover",
  requestTimeoutSecs: null,
  maxRetries: 0,
  retryBackoffMs: 250,
  inputCostPerToken: null,
  outputCostPerToken: null,
  tokenizer: null,
  queueWithoutServers: false,
  tags: [] as string[],
} as const;

let test: TestDatabase;
let tenantId: string;
let keyId: string;

beforeAll(async () => {
  test = await createTestDatabase();
  await createModel(test.db, context, {
    fields: { ...modelFields, aliases: ["b", "a"], tags: [], name: "llama" },
    endpoints: [],
  });
  const tenant = await createTenant(test.db, context, {
    ...noBudget,
    name: "chatbot",
    group: "default",
    weight: 50,
    maxInFlight: 9,
    modelCaps: [],
    tokensPerMinute: 1_000_000_000_000,
    budgetTokens: Number.MAX_SAFE_INTEGER,
    status: "active",
    timezone: "Europe/Berlin",
    activeFrom: null,
    activeUntil: new Date(NOW + 5),
    weeklyWindows: [{ day: 1, start_min: 0, end_min: 60 }],
    allowedModels: ["a", "other"],
    description: "",
  });
  tenantId = tenant.value.id;
  const fields = { ...noBudget, name: "k", weight: 100, maxInFlight: 2, disabled: false, expiresAt: null };
  const key = await createKey(test.db, context, { tenantId, fields, secret: { hash: "hash-1", prefix: "sk_1" } });
  keyId = key.value.key.id;
});
afterAll(() => test.drop());

const find = (secretHash: string, nowMs = NOW) => findKeyPolicy(test.db, { secretHash, nowMs });

describe("what admission knows of a key", () => {
  it("is undefined for a secret that nobody has", async () => {
    expect(await find("hash-unknown")).toBeUndefined();
  });

  it("holds key, tenant and group with exact numbers and instants", async () => {
    expect(await find("hash-1")).toMatchObject({
      key: { id: keyId, maxInFlight: 2, isPreviousSecret: false, previousSecretExpiresAtMs: null, budget: null },
      tenant: {
        id: tenantId,
        weight: 50,
        maxInFlight: 9,
        timezone: "Europe/Berlin",
        activeUntilMs: NOW + 5,
        weeklyWindows: [{ day: 1, start_min: 0, end_min: 60 }],
        allowedModels: ["llama", "other"],
        tokensPerMinute: 1_000_000_000_000,
        budget: { tokens: 9007199254740991, costUsd: null, period: "monthly", startedAtMs: NOW },
        modelCaps: [],
        boosts: [],
      },
      group: { name: "default", weight: 100 },
    });
  });

  it("has caps by model, a null one too, and boosts until they run out", async () => {
    await setModelCap(test.db, context, { tenantId, model: "a", maxInFlight: null });
    const boost = { tenantId, reason: "incident", expiresAt: new Date(NOW + 60_000) };
    await createBoost(test.db, context, { ...boost, model: null, factor: 3, weight: null });
    await createBoost(test.db, context, { ...boost, model: "llama", factor: null, weight: 500 });
    const found = await find("hash-1");
    expect(found?.tenant.modelCaps).toEqual([{ model: "llama", maxInFlight: null }]);
    const factors = found?.tenant.boosts.map(({ model, factor, expiresAtMs }) => ({ model, factor, expiresAtMs }));
    expect(factors).toHaveLength(2);
    expect(factors).toContainEqual({ model: null, factor: 3, expiresAtMs: NOW + 60_000 });
    expect(factors).toContainEqual({ model: "llama", factor: 10, expiresAtMs: NOW + 60_000 });
    expect((await find("hash-1", NOW + 60_000))?.tenant.boosts).toEqual([]);
  });

  it("is found by the secret before a rotation until the overlap ends, and not a millisecond longer", async () => {
    await rotateKey(test.db, context, { id: keyId, secret: { hash: "hash-2", prefix: "sk_2" }, overlapMs: 1_000 });
    expect((await find("hash-2"))?.key).toMatchObject({ id: keyId, isPreviousSecret: false });
    expect((await find("hash-1", NOW + 999))?.key).toMatchObject({
      isPreviousSecret: true,
      previousSecretExpiresAtMs: NOW + 1_000,
    });
    expect(await find("hash-1", NOW + 1_000)).toBeUndefined();
    await touchPreviousSecret(test.db, { keyId, nowMs: NOW + 500 });
    await touchPreviousSecret(test.db, { keyId, nowMs: NOW + 400 });
    const [row] = await test.sql`select extract(epoch from previous_secret_last_used_at)::text as at from keys`;
    expect(Number(row?.at) * 1000).toBe(NOW + 500);
    await rotateKey(test.db, context, { id: keyId, secret: { hash: "hash-3", prefix: "sk_3" }, overlapMs: 0 });
    expect([await find("hash-1"), await find("hash-2")]).toEqual([undefined, undefined]);
  });
});

it("gives models with aliases in the order they were given", async () => {
  const [llama] = await loadModels(test.db);
  expect(llama).toMatchObject({ model: { name: "llama" }, aliases: ["b", "a"], endpoints: [] });
});
