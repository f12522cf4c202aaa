import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "./testing/test-gateway";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.close());

const auditOf = async (id: number | null) => {
  const { data } = await gateway.api.call("listAudit", { query: { limit: 200 } });
  return data.items.find((row) => row.id === id);
};

describe("groups", () => {
  it("are made, read, changed and deleted, each change with its audit row and configuration version", async () => {
    const { api } = gateway;
    const made = await api.call("createGroup", { body: { name: "chat", weight: 500 } });
    expect(made.data).toMatchObject({ name: "chat", weight: 500, tenant_count: 0, version: 1 });
    expect(made.etag).toBe('"1"');
    const changed = await api.call("updateGroup", { params: { name: "chat" }, body: { weight: 400 } });
    expect(changed.configVersion).toBe((made.configVersion ?? 0) + 1);
    expect(await auditOf(changed.auditId)).toMatchObject({
      actor: "token",
      source: "api",
      action: "group.update",
      before: { weight: 500 },
      after: { weight: 400 },
      reversible: true,
    });
    await api.call("deleteGroup", { params: { name: "chat" } });
    await expect(api.call("getGroup", { params: { name: "chat" } })).rejects.toMatchObject({ status: 404 });
  });

  it("refuse an edit of a version that is no longer there", async () => {
    const { api } = gateway;
    const { etag } = await api.call("createGroup", { body: { name: "etag" } });
    const edit = { params: { name: "etag" }, body: { weight: 7 } };
    await api.call("updateGroup", edit, { ifMatch: etag ?? "" });
    await expect(api.call("updateGroup", edit, { ifMatch: etag ?? "" })).rejects.toMatchObject({
      status: 412,
      code: "stale_edit",
    });
  });

  it("change several weights at once, or none when one group is unknown", async () => {
    const { api } = gateway;
    await api.call("createGroup", { body: { name: "w1" } });
    await api.call("createGroup", { body: { name: "w2" } });
    const bad = api.call("setGroupWeights", { body: { weights: { w1: 5, nobody: 6 } } });
    await expect(bad).rejects.toMatchObject({ status: 400, details: { field: "weights.nobody" } });
    const { data } = await api.call("getGroup", { params: { name: "w1" } });
    expect(data.weight).toBe(100);
    const both = await api.call("setGroupWeights", { body: { weights: { w1: 5, w2: 6 } } });
    expect(await auditOf(both.auditId)).toMatchObject({
      before: { weights: { w1: 100, w2: 100 } },
      after: { weights: { w1: 5, w2: 6 } },
    });
  });

  it("with tenants in them are not deleted, and the default one never", async () => {
    const { api } = gateway;
    await api.call("createGroup", { body: { name: "busy" } });
    await api.call("createTenant", { body: { name: "in busy", group: "busy" } });
    await expect(api.call("deleteGroup", { params: { name: "busy" } })).rejects.toMatchObject({
      code: "group_not_empty",
    });
    await expect(api.call("deleteGroup", { params: { name: "default" } })).rejects.toMatchObject({ status: 409 });
  });

  it.each(["__proto__", "constructor", "toString", "hasOwnProperty", "0", "-1", "org/group", "a b", "שלום"])(
    "may be called %s",
    async (name) => {
      const { api } = gateway;
      await api.call("createGroup", { body: { name } });
      expect((await api.call("getGroup", { params: { name } })).data.name).toBe(name);
      const weights = Object.fromEntries([[name, 9]]);
      const { data } = await api.call("setGroupWeights", { body: { weights } });
      expect(data.groups[0]).toMatchObject({ name, weight: 9 });
      await api.call("deleteGroup", { params: { name } });
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    },
  );
});

describe("tenants", () => {
  it("give back every field that can be set, at its default when left out", async () => {
    const { data } = await gateway.api.call("createTenant", { body: { name: "plain" } });
    expect(data).toMatchObject({
      group: "default",
      weight: 100,
      max_in_flight: null,
      model_caps: [],
      tokens_per_minute: null,
      budget_tokens: null,
      budget_cost_usd: null,
      budget_period: "monthly",
      budget_started_at: null,
      budget_state: null,
      status: "active",
      timezone: "UTC",
      active_from: null,
      active_until: null,
      weekly_windows: [],
      allowed_models: null,
      description: "",
      key_count: 0,
    });
  });

  it("keep what a patch leaves out and clear what it sets to null", async () => {
    const { api } = gateway;
    const made = await api.call("createTenant", {
      body: {
        name: "patched",
        max_in_flight: 5,
        budget_tokens: Number.MAX_SAFE_INTEGER,
        active_until: "2027-01-01T05:45:00+05:45",
      },
    });
    const { id } = made.data;
    expect(made.data.active_until).toBe("2027-01-01T00:00:00.000Z");
    const { data } = await api.call("updateTenant", { params: { id }, body: { max_in_flight: null } });
    expect(data).toMatchObject({ max_in_flight: null, budget_tokens: 9007199254740991, weight: 100 });
  });

  it("refuse unknown groups, names in use and a term that ends before it begins, naming the field", async () => {
    const { api } = gateway;
    const create = (body: Record<string, unknown>) => api.call("createTenant", { body: { name: "bad", ...body } });
    await expect(create({ group: "nowhere" })).rejects.toMatchObject({ status: 400, details: { field: "group" } });
    await expect(create({ name: "plain" })).rejects.toMatchObject({ status: 409, details: { field: "name" } });
    const backwards = { active_from: "2026-02-01T00:00:00Z", active_until: "2026-01-01T00:00:00Z" };
    await expect(create(backwards)).rejects.toMatchObject({ status: 400, details: { field: "active_until" } });
  });

  it("change by the named sub-routes as by a patch", async () => {
    const { api } = gateway;
    await api.call("createGroup", { body: { name: "sub" } });
    const { id } = (await api.call("createTenant", { body: { name: "sub-routes" } })).data;
    await api.call("setTenantWeight", { params: { id }, body: { weight: 55 } });
    await api.call("setTenantQuota", { params: { id }, body: { tokens_per_minute: 1000, max_in_flight: 3 } });
    const { data } = await api.call("setTenantGroup", { params: { id }, body: { group: "sub" } });
    expect(data).toMatchObject({ weight: 55, tokens_per_minute: 1000, max_in_flight: 3, group: "sub" });
  });

  it("have caps by model that are set, listed and removed again", async () => {
    const { api } = gateway;
    await api.call("createModel", { body: { name: "org/capped", aliases: ["capped"] } });
    const { id } = (await api.call("createTenant", { body: { name: "caps" } })).data;
    const target = { id, model: "org/capped" };
    await api.call("setModelCap", { params: target, body: { max_in_flight: 4 } });
    await api.call("setModelCap", { params: { id, model: "capped" }, body: { max_in_flight: null } });
    const listed = await api.call("listModelCaps", { params: { id } });
    expect(listed.data.items).toEqual([{ model: "org/capped", max_in_flight: null }]);
    await api.call("deleteModelCap", { params: target });
    await expect(api.call("deleteModelCap", { params: target })).rejects.toMatchObject({ status: 404 });
    const unknown = api.call("setModelCap", { params: { id, model: "nope" }, body: { max_in_flight: 1 } });
    await expect(unknown).rejects.toMatchObject({ status: 404 });
  });

  it("come in pages that neither repeat nor skip, however they are sorted", async () => {
    const { api } = gateway;
    for (let n = 0; n < 7; n++) await api.call("createTenant", { body: { name: `page ${n}`, weight: 10 + (n % 2) } });
    for (const sort of ["name", "weight", "group", "created_at"] as const) {
      const names: string[] = [];
      let cursor: string | undefined;
      do {
        const query = { q: "page ", sort, limit: 2, dir: "desc" as const, ...(cursor === undefined ? {} : { cursor }) };
        const { data } = await api.call("listTenants", { query });
        expect(data.total).toBe(7);
        names.push(...data.items.map((tenant) => tenant.name));
        cursor = data.next_cursor ?? undefined;
      } while (cursor !== undefined);
      expect([...names].sort(), sort).toEqual(Array.from({ length: 7 }, (_, n) => `page ${n}`));
    }
  });

  it("come in pages that show each lasting one once while others come and go", async () => {
    const { api } = gateway;
    const lasting: string[] = [];
    for (let n = 0; n < 12; n++) {
      const { data } = await api.call("createTenant", { body: { name: `lasting ${n}`, weight: 1 + (n % 3) } });
      lasting.push(data.id);
    }
    for (const sort of ["name", "weight", "created_at"] as const) {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const query = { q: "lasting", sort, limit: 2, ...(cursor === undefined ? {} : { cursor }) };
        const { data } = await api.call("listTenants", { query });
        seen.push(...data.items.map(({ id }) => id));
        cursor = data.next_cursor ?? undefined;
        const passing = { name: `a lasting ${sort} ${seen.length}`, weight: 1 };
        const made = (await api.call("createTenant", { body: passing })).data;
        if (seen.length % 4 === 0) await api.call("deleteTenant", { params: { id: made.id } });
      } while (cursor !== undefined);
      expect(new Set(seen).size, sort).toBe(seen.length);
      expect(
        lasting.filter((id) => !seen.includes(id)),
        sort,
      ).toEqual([]);
    }
  });

  it("refuse a cursor that is not of this list", async () => {
    const forged = Buffer.from(JSON.stringify(["x'; drop table tenants", "y"])).toString("base64url");
    const list = gateway.api.call("listTenants", { query: { cursor: forged } });
    await expect(list).rejects.toMatchObject({ status: 400, details: { field: "cursor" } });
  });

  it("take their keys with them", async () => {
    const { api } = gateway;
    const { id } = (await api.call("createTenant", { body: { name: "goes" } })).data;
    const { key } = (await api.call("createKey", { params: { id }, body: { name: "k" } })).data;
    const gone = await api.call("deleteTenant", { params: { id } });
    expect(await auditOf(gone.auditId)).toMatchObject({
      action: "tenant.delete",
      before: { key_count: 1 },
      after: null,
    });
    await expect(api.call("getKey", { params: { id: key.id } })).rejects.toMatchObject({ status: 404 });
  });
});

describe("keys", () => {
  let tenantId: string;
  beforeAll(async () => {
    tenantId = (await gateway.api.call("createTenant", { body: { name: "key owner" } })).data.id;
  });

  it("show their secret once and store only its hash", async () => {
    const { data } = await gateway.api.call("createKey", { params: { id: tenantId }, body: { name: "once" } });
    expect(data.secret).toMatch(/^sk_[0-9a-f]{48}$/);
    expect(data.key).toMatchObject({ prefix: data.secret.slice(0, 9), created_by: "token", tenant_name: "key owner" });
    const stored = await gateway.database.sql`select row_to_json(keys)::text as row from keys`;
    expect(JSON.stringify(stored)).not.toContain(data.secret);
    const read = await gateway.api.call("getKey", { params: { id: data.key.id } });
    expect(JSON.stringify(read.data)).not.toContain(data.secret);
    const audit = await gateway.database.sql`select row_to_json(audit_log)::text as row from audit_log`;
    expect(JSON.stringify(audit)).not.toContain(data.secret);
  });

  it("are made once for one Idempotency-Key, and the repeat gives the same secret", async () => {
    const call = (name: string) =>
      gateway.api.call("createKey", { params: { id: tenantId }, body: { name } }, { idempotencyKey: "retry-1" });
    const [first, second] = [await call("idem"), await call("idem")];
    expect(second.data).toEqual(first.data);
    await expect(call("other body")).rejects.toMatchObject({ status: 409, code: "idempotency_mismatch" });
    const { data } = await gateway.api.call("listTenantKeys", { params: { id: tenantId }, query: { q: "idem" } });
    expect(data.total).toBe(1);
  });

  it("rotate with an overlap that can be ended", async () => {
    const { api } = gateway;
    const made = (await api.call("createKey", { params: { id: tenantId }, body: { name: "turns" } })).data;
    const params = { id: made.key.id };
    const rotated = await api.call("rotateKey", { params, body: { overlap_secs: 3600 } });
    expect(rotated.data.secret).not.toBe(made.secret);
    expect(rotated.data.key.previous_secret_expires_ts_ms).toBe(gateway.clock.wallMs() + 3_600_000);
    const rotating = await api.call("listKeys", { query: { state: "rotating" } });
    expect(rotating.data.items.map((key) => key.name)).toEqual(["turns"]);
    const ended = await api.call("endPreviousSecret", { params });
    expect(ended.data.previous_secret_expires_ts_ms).toBeNull();
    await expect(api.call("endPreviousSecret", { params })).rejects.toMatchObject({ status: 404 });
  });

  it("that are not there answer 404, whatever the id looks like", async () => {
    for (const id of ["11111111-1111-4111-8111-111111111111", "nope", "__proto__", "%00", "%F0%28"]) {
      const response = await gateway.request(`/api/v1/keys/${id}`);
      expect(response.status, id).toBe(404);
    }
  });
});

describe("models", () => {
  it("take endpoints inline or the shorthand, and never give a credential back", async () => {
    const { api } = gateway;
    const made = await api.call("createModel", {
      body: { name: "short", api_base: "http://up:9000/v1/", api_key: "canary-credential", upstream_model: "real" },
    });
    expect(made.data.endpoints).toMatchObject([
      { name: "endpoint-1", api_base: "http://up:9000/v1", api_key_set: true, upstream_model: "real", priority: 0 },
    ]);
    const inline = await api.call("createModel", {
      body: {
        name: "inline",
        endpoints: [
          { api_base: "http://a/v1", headers: { "x-secret": "canary-header" } },
          { name: "b", api_base: "http://b/v1", priority: 1, enabled: false },
        ],
      },
    });
    expect(inline.data.endpoints.map((one) => [one.name, one.headers, one.health.state])).toEqual([
      ["endpoint-1", { "x-secret": null }, "unknown"],
      ["b", {}, "disabled"],
    ]);
    const everything = JSON.stringify([
      made.data,
      inline.data,
      (await api.call("listAudit", { query: { limit: 500 } })).data,
      await gateway.database.sql`select row_to_json(endpoints)::text from endpoints`,
    ]);
    expect(everything).not.toContain("canary");
  });

  it("refuse a name or alias that another model has", async () => {
    const { api } = gateway;
    await api.call("createModel", { body: { name: "named", aliases: ["nick", "nack"] } });
    await expect(api.call("createModel", { body: { name: "nick" } })).rejects.toMatchObject({
      status: 409,
      details: { field: "name" },
    });
    const alias = api.call("createModel", { body: { name: "fresh", aliases: ["free", "named"] } });
    await expect(alias).rejects.toMatchObject({ status: 409, details: { field: "aliases.1" } });
    await expect(api.call("getModel", { params: { id: "fresh" } })).rejects.toMatchObject({ status: 404 });
    expect((await api.call("getModel", { params: { id: "nack" } })).data).toMatchObject({
      name: "named",
      aliases: ["nick", "nack"],
    });
  });

  it("may swap a name with one of their own aliases", async () => {
    const { api } = gateway;
    await api.call("createModel", { body: { name: "old-name", aliases: ["new-name"] } });
    const { id } = (
      await api.call("createTenant", { body: { name: "allows", allowed_models: ["new-name", "unheard-of"] } })
    ).data;
    expect((await api.call("getTenant", { params: { id } })).data.allowed_models).toEqual(["old-name", "unheard-of"]);
    await api.call("updateModel", { params: { id: "old-name" }, body: { name: "new-name", aliases: ["old-name"] } });
    expect((await api.call("getTenant", { params: { id } })).data.allowed_models).toEqual(["new-name", "unheard-of"]);
  });

  it("refuse a discovered size without anything to multiply", async () => {
    const body = { name: "disc", capacity_mode: "discovered" as const };
    const call = gateway.api.call("createModel", { body });
    await expect(call).rejects.toMatchObject({ status: 400, details: { field: "per_replica_max_in_flight" } });
    const fine = { ...body, endpoints: [{ api_base: "http://a/v1", max_in_flight: 8 }] };
    await expect(gateway.api.call("createModel", { body: fine })).resolves.toMatchObject({ data: { name: "disc" } });
  });

  it("take session affinity within its bounds and go back to the gateway's with {}", async () => {
    const { api } = gateway;
    await api.call("createModel", { body: { name: "sticky" } });
    const params = { id: "sticky" };
    const set = await api.call("setSessionAffinity", { params, body: { enabled: true, hold_ms: 60_000 } });
    expect(set.data.session_affinity).toEqual({ enabled: true, hold_ms: 60_000 });
    const over = api.call("setSessionAffinity", { params, body: { hold_ms: 60_001 } });
    await expect(over).rejects.toMatchObject({ status: 400, details: { field: "hold_ms" } });
    expect((await api.call("setSessionAffinity", { params, body: {} })).data.session_affinity).toEqual({});
  });

  it("keep their endpoints' credentials through a replace that leaves them out", async () => {
    const { api } = gateway;
    await api.call("createModel", { body: { name: "kept", api_base: "http://k/v1", api_key: "k1" } });
    const endpoints = [{ name: "endpoint-1", api_base: "http://k2/v1" }];
    const put = await api.call("replaceModel", {
      params: { id: "kept" },
      body: { name: "kept", max_in_flight: 3, endpoints },
    });
    expect(put.data).toMatchObject({ max_in_flight: 3, endpoints: [{ api_base: "http://k2/v1", api_key_set: true }] });
    const cleared = await api.call("updateEndpoint", {
      params: { id: "kept", eid: put.data.endpoints[0]?.id ?? "" },
      body: { api_key: null },
    });
    expect(cleared.data.api_key_set).toBe(false);
  });

  it("come back from an export as they were, and an import fails as a whole", async () => {
    const { api } = gateway;
    const file = (await api.call("exportModels", {})).data;
    const models = file.models as { name: string }[];
    const same = await api.call("importModels", { body: { models } });
    expect(same.data).toMatchObject({ created: 0, updated: 0, unchanged: models.length });
    const broken = [{ name: "would-be-new" }, { name: "other", aliases: ["kept"] }];
    const refused = api.call("importModels", { body: { models: broken } });
    await expect(refused).rejects.toMatchObject({ status: 409, details: { field: "models.1.aliases.0" } });
    await expect(api.call("getModel", { params: { id: "would-be-new" } })).rejects.toMatchObject({ status: 404 });
    const tried = await api.call("importModels", {
      query: { dry_run: true },
      body: { models: [{ name: "would-be-new" }] },
    });
    expect(tried.data).toMatchObject({ dry_run: true, created: 1 });
    await expect(api.call("getModel", { params: { id: "would-be-new" } })).rejects.toMatchObject({ status: 404 });
  });
});
