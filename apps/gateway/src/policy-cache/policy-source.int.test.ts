/** Rows of the real database as the request path sees them. */
import {
  type ChangeContext,
  createBoost,
  makeSealer,
  newSecret,
  rotateKey,
  SAMPLE_MODEL,
  type SampleTenantName,
  secretHasher,
  seedSample,
} from "@obleth/db";
import { createTestDatabase, type TestDatabase } from "@obleth/db/testing";
import { keyId, tenantId } from "@obleth/fairshare";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databasePolicySource } from "./policy-source";
import type { PolicySource } from "./records";

const hash = secretHasher("a pepper of ours");
const sealer = makeSealer("e".repeat(40));
const secrets = new Map<string, string>();
const unsealable: string[] = [];
let database: TestDatabase;
let source: PolicySource;
let nowMs = Date.parse("2026-11-30T12:00:00Z");
const context = (): ChangeContext => ({ actor: "test", source: "system", requestId: null, nowMs });

beforeAll(async () => {
  database = await createTestDatabase();
  source = databasePolicySource({
    db: database.db,
    wallMs: () => nowMs,
    sealer,
    onUnsealable: (endpoint) => unsealable.push(endpoint),
  });
  const secretOf = (tenant: SampleTenantName) => {
    const { secret, prefix } = newSecret();
    secrets.set(tenant, secret);
    return { hash: hash(secret), prefix };
  };
  await seedSample(database.db, context(), { apiBase: "http://127.0.0.1:9400/v1/", secretOf });
});

afterAll(() => database.drop());

const find = (tenant: string) => source.loadKeyByHash(hash(secrets.get(tenant) ?? ""));

describe("the sample", () => {
  it("is two tenants weighted 500 and 50 in groups of their own, and one model of 8 slots", async () => {
    const [chatbot, batch] = [await find("chatbot"), await find("api-batch")];
    expect([chatbot?.tenant.weight, chatbot?.tenant.group]).toEqual([500, { id: "chatbot", weight: 500 }]);
    expect([batch?.tenant.weight, batch?.tenant.group]).toEqual([50, { id: "api", weight: 50 }]);
    const [model] = await source.loadModels();
    expect(model).toMatchObject({ name: SAMPLE_MODEL.name, maxInFlight: 8, enabled: true });
    expect(model?.endpoints).toMatchObject([{ apiBase: "http://127.0.0.1:9400/v1", apiKey: null, enabled: true }]);
  });

  it("finds nobody for a hash that is nobody's", async () => {
    expect(await source.loadKeyByHash(hash("sk_unknown"))).toBeUndefined();
  });
});

describe("records", () => {
  it("of a tenant carry caps by model, boosts in force and their end, whichever way they are read", async () => {
    const found = await find("chatbot");
    const id = found?.tenant.id ?? tenantId("");
    await createBoost(database.db, context(), {
      tenantId: id,
      model: SAMPLE_MODEL.name,
      factor: null,
      weight: 1000,
      reason: "incident",
      expiresAt: new Date(nowMs + 60_000),
    });
    const byKey = (await find("chatbot"))?.tenant.boosts;
    const [byTenant] = await source.loadTenants([id]);
    expect(byTenant?.boosts).toEqual(byKey);
    expect(byKey).toMatchObject([
      { model: "sim-chat", factor: 2, weight: 1000, reason: "incident", createdBy: "test" },
    ]);
    nowMs += 60_000;
    expect((await source.loadTenants([id]))[0]?.boosts).toEqual([]);
  });

  it("of keys and tenants are found by id, and strange ids name nobody", async () => {
    const found = await find("chatbot");
    const id = found?.policy.id ?? keyId("");
    const keys = await source.loadKeys([id, keyId("not a uuid"), keyId("00000000-0000-0000-0000-000000000000")]);
    expect(keys).toEqual([{ policy: found?.policy, tenantId: found?.tenant.id, name: "sample" }]);
    expect(await source.loadTenants([tenantId("'; drop table tenants; --")])).toEqual([]);
    expect((await source.loadTenants()).map((tenant) => tenant.name).sort()).toEqual(["api-batch", "chatbot"]);
    expect((await source.loadGroups()).map((group) => group.name)).toEqual(["api", "chatbot", "default"]);
  });

  it("of a rotated key end with the overlap of its old secret", async () => {
    const found = await find("api-batch");
    const next = newSecret();
    await rotateKey(database.db, context(), {
      id: found?.policy.id ?? "",
      secret: { hash: hash(next.secret), prefix: next.prefix },
      overlapMs: 60_000,
    });
    expect((await find("api-batch"))?.expiresAtMs).toBe(nowMs + 60_000);
    expect((await source.loadKeyByHash(hash(next.secret)))?.expiresAtMs).toBeNull();
    nowMs += 60_001;
    expect(await find("api-batch")).toBeUndefined();
  });

  it("of an endpoint carry its opened credential, and none when the encryption key has changed", async () => {
    const base = (await source.loadModels())[0];
    expect(base).toBeDefined();
    const other = databasePolicySource({
      db: database.db,
      wallMs: () => nowMs,
      sealer: makeSealer("another key".padEnd(40, "x")),
      onUnsealable: (endpoint) => unsealable.push(endpoint),
    });
    await database.sql`update endpoints set api_key_sealed = ${sealer.seal("sk-upstream", "endpoint_key")},
      headers_sealed = ${JSON.stringify([["x-team", sealer.seal("ours", "endpoint_header")]])}::text::jsonb`;
    expect((await source.loadModels())[0]?.endpoints[0]).toMatchObject({
      apiKey: "sk-upstream",
      headers: { "x-team": "ours" },
    });
    expect((await other.loadModels())[0]?.endpoints[0]).toMatchObject({ apiKey: null, headers: {} });
    expect(unsealable).toEqual(["sim-chat/simulated", "sim-chat/simulated"]);
  });
});
