/** What holds for changes of every kind: dry runs, reverts, notices, boosts that end, files that restore. */
import {
  type ConfigNotice,
  endExpiredBoosts,
  insertUsage,
  makeDb,
  makeSealer,
  type UsageRow,
  watchConfigChanges,
} from "@obleth/db";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BoostSweeper } from "./boosts/boost-sweeper";
import { busyEngine } from "./testing/busy-engine";
import { startTestGateway, type TestGateway } from "./testing/test-gateway";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.close());

const config = async () => {
  const { exported_at: _at, ...file } = (await gateway.api.call("exportConfig", {})).data;
  return file;
};
const versionOf = async () => {
  const rows = await gateway.database.sql<{ version: number }[]>`select version::int as version from config_version`;
  return rows[0]?.version;
};

describe("a dry run", () => {
  it("says what would change and what slots would move, and writes nothing", async () => {
    const { api } = gateway;
    await api.call("createGroup", { body: { name: "chat", weight: 500 } });
    await api.call("createGroup", { body: { name: "batch", weight: 50 } });
    const chat = (await api.call("createTenant", { body: { name: "chatbot", group: "chat" } })).data;
    const nightly = (await api.call("createTenant", { body: { name: "nightly", group: "batch" } })).data;
    gateway.show(
      busyEngine({
        pool: "llama",
        size: 8,
        tenants: [
          { id: chat.id, group: "chat", groupWeight: 500, inFlight: 7, queued: 9 },
          { id: nightly.id, group: "batch", groupWeight: 50, inFlight: 1, queued: 9 },
        ],
      }),
    );
    const before = [await config(), await versionOf()];
    const { data } = await api.dryRun("setGroupWeights", { body: { weights: { batch: 500 } } });
    expect(data).toMatchObject({
      dry_run: true,
      before: { weights: { batch: 50 } },
      after: { weights: { batch: 500 } },
    });
    const pool = data.preview?.pools[0];
    expect(pool?.groups.map((group) => [group.name, group.slots_before, group.slots_after])).toEqual([
      ["chat", 7, 4],
      ["batch", 1, 4],
    ]);
    expect(pool?.gives_up).toContainEqual({ type: "tenant", id: chat.id, name: "chatbot", slots: 3 });
    expect([await config(), await versionOf()]).toEqual(before);
    const { data: log } = await api.call("listAudit", { query: { action: "group.set_weights" } });
    expect(log.items).toEqual([]);
  });

  it("refuses what the change would refuse", async () => {
    const tried = gateway.api.dryRun("createGroup", { body: { name: "chat" } });
    await expect(tried).rejects.toMatchObject({ status: 409, details: { field: "name" } });
  });

  it.each([
    [{ kind: "group_weight", id: "default", value: 0 }, "must be a whole number from 1 to 1,000,000."],
    [{ kind: "pool_size", id: "any", value: 0.5 }, "must be a whole number from 1 to 1,000,000."],
    [{ kind: "boost", id: "any", value: "much" }, "must be a number from 0.000001 to 1,000,000."],
  ] as const)("of %j says what the kind takes", async (change, rule) => {
    const asked = gateway.api.call("previewFairshare", { body: { changes: [change] } });
    await expect(asked).rejects.toThrow(`changes.0.value ${rule}`);
  });

  it("of a preview and the preview route agree", async () => {
    const { data } = await gateway.api.call("previewFairshare", {
      body: { changes: [{ kind: "group_weight", id: "batch", value: 500 }] },
    });
    const dry = await gateway.api.dryRun("updateGroup", { params: { name: "batch" }, body: { weight: 500 } });
    expect(dry.data.preview?.pools).toEqual(data.pools);
    expect(data.pools[0]?.summary).toBe("batch gets 3 more slots on llama.");
  });

  it("explains who waits by the same names", async () => {
    const { data } = await gateway.api.call("explainFairshare", { query: { pool: "llama" } });
    expect(data.explanations).toHaveLength(2);
    for (const explanation of data.explanations) {
      expect(explanation.text.length).toBeGreaterThan(10);
      expect(explanation.breakdown.reduce((sum, part) => sum + part.requests, 0)).toBe(9);
    }
  });
});

describe("an explanation", () => {
  it("of a tenant that has nothing waiting tells of refusals in the last hour and the commonest cause", async () => {
    const { api, database, clock } = gateway;
    const tenant = (await api.call("createTenant", { body: { name: "refused" } })).data;
    await api.call("createModel", { body: { name: "refusing", api_base: "http://r/v1" } });
    const why = async () => {
      const query = { pool: "refusing", tenant_id: tenant.id };
      return (await api.call("explainFairshare", { query })).data.explanations[0];
    };
    expect(await why()).toMatchObject({ reason: "not_waiting", cause: null });
    const row = (n: number, known: Partial<UsageRow>): UsageRow => ({
      requestId: `refused-${n}`,
      tsMs: clock.wallMs() - 60_000,
      tenantId: tenant.id,
      keyId: null,
      model: "refusing",
      admission: "rejected",
      outcome: "refused",
      weight: 100,
      estimatedTokens: 1,
      queueWaitMs: 0,
      totalMs: 1,
      statusCode: 429,
      sessionSource: "none",
      protocol: "openai",
      replica: "another gateway",
      ...known,
    });
    await insertUsage(database.db, [
      row(1, {}),
      row(2, {}),
      row(3, { statusCode: 403 }),
      row(4, { tsMs: clock.wallMs() - 3_700_000 }),
      row(5, { model: "other" }),
      row(6, { outcome: "completed", statusCode: 200 }),
    ]);
    const answer = await why();
    expect(answer).toMatchObject({ reason: "not_waiting", cause: "refused" });
    expect(answer?.text).toBe(
      `3 requests of ${tenant.id} were refused in the last hour: mostly because the tokens per minute were used up. Refused requests do not wait.`,
    );
    expect(answer?.actions.map((action) => action.id)).toEqual(["open_budgets", "open_usage"]);
  });
});

describe("a revert", () => {
  it("puts back each kind of change, once, and says what it put back", async () => {
    const { api } = gateway;
    const group = (await api.call("createGroup", { body: { name: "rev-group" } })).data;
    const tenant = (await api.call("createTenant", { body: { name: "rev-tenant" } })).data;
    const key = (await api.call("createKey", { params: { id: tenant.id }, body: { name: "rev-key" } })).data.key;
    const model = (
      await api.call("createModel", { body: { name: "rev-model", api_base: "http://r/v1", api_key: "s" } })
    ).data;
    const eid = model.endpoints[0]?.id ?? "";
    await api.call("createUser", { body: { email: "root@example.org", role: "admin" } });
    const user = (await api.call("createUser", { body: { email: "rev@example.org" } })).data;
    const until = new Date(gateway.clock.wallMs() + 3_600_000).toISOString();
    const before = await config();
    const changes = [
      () => api.call("updateGroup", { params: { name: group.name }, body: { weight: 3, name: "rev-renamed" } }),
      () => api.call("setGroupWeights", { body: { weights: { default: 9, chat: 9 } } }),
      () =>
        api.call("updateTenant", {
          params: { id: tenant.id },
          body: { weight: 3, active_until: until, group: "chat" },
        }),
      () => api.call("setModelCap", { params: { id: tenant.id, model: "rev-model" }, body: { max_in_flight: 2 } }),
      () => api.call("updateKey", { params: { id: key.id }, body: { disabled: true, expires_at: until } }),
      () =>
        api.call("updateModel", { params: { id: "rev-model" }, body: { aliases: ["rev-alias"], max_in_flight: 5 } }),
      () => api.call("setSessionAffinity", { params: { id: "rev-model" }, body: { enabled: true } }),
      () => api.call("updateEndpoint", { params: { id: "rev-model", eid }, body: { weight: 5, priority: 2 } }),
      () => api.call("createBoost", { body: { tenant_id: tenant.id, factor: 3, reason: "r", expires_at: until } }),
      () => api.call("setCapacity", { body: { global_max_in_flight: 100 } }),
      () => api.call("updateUser", { params: { id: user.id }, body: { role: "admin" } }),
    ];
    for (const [index, make] of changes.entries()) {
      const made = await make();
      const params = { id: made.auditId ?? 0 };
      const reverted = await api.call("revertAudit", { params });
      expect(reverted.data.reverts, String(index)).toBe(made.auditId);
      expect(await config(), String(index)).toEqual(before);
      await expect(api.call("revertAudit", { params })).rejects.toMatchObject({ status: 409, code: "changed_since" });
    }
  });

  it("is refused when what it would put back was changed since", async () => {
    const { api } = gateway;
    const { id } = (await api.call("createTenant", { body: { name: "moved on" } })).data;
    const first = await api.call("setTenantWeight", { params: { id }, body: { weight: 150 } });
    await api.call("setTenantWeight", { params: { id }, body: { weight: 200 } });
    const revert = api.call("revertAudit", { params: { id: first.auditId ?? 0 } });
    await expect(revert).rejects.toMatchObject({ status: 409, message: "weight is 200 now, not 150." });
  });

  it("is refused for what cannot come back, and the log says so beforehand", async () => {
    const { api } = gateway;
    const { id } = (await api.call("createTenant", { body: { name: "gone for good" } })).data;
    const gone = await api.call("deleteTenant", { params: { id } });
    const { data } = await api.call("listAudit", { query: { object: id } });
    expect(data.items[0]).toMatchObject({ id: gone.auditId, reversible: false });
    const revert = api.call("revertAudit", { params: { id: gone.auditId ?? 0 } });
    await expect(revert).rejects.toMatchObject({ status: 409, code: "not_reversible" });
  });

  it("to a state that is not possible any more is refused and changes nothing", async () => {
    const { api } = gateway;
    await api.call("createGroup", { body: { name: "vanishing" } });
    const { id } = (await api.call("createTenant", { body: { name: "homeless", group: "vanishing" } })).data;
    const moved = await api.call("setTenantGroup", { params: { id }, body: { group: "default" } });
    await api.call("deleteGroup", { params: { name: "vanishing" } });
    const revert = api.call("revertAudit", { params: { id: moved.auditId ?? 0 } });
    await expect(revert).rejects.toMatchObject({ status: 409, code: "changed_since" });
  });
});

describe("two admins at once", () => {
  it("with the same version: one edit holds and the other is told", async () => {
    const { api } = gateway;
    const { data, etag } = await api.call("createTenant", { body: { name: "contended" } });
    const edits = [11, 22].map((weight) =>
      api.call("setTenantWeight", { params: { id: data.id }, body: { weight } }, { ifMatch: etag ?? "" }),
    );
    const results = await Promise.allSettled(edits);
    expect(results.map((result) => result.status).sort()).toEqual(["fulfilled", "rejected"]);
    const lost = results.find((result) => result.status === "rejected");
    expect(lost).toMatchObject({ reason: { status: 412 } });
  });

  it("on different fields without versions: both hold", async () => {
    const { api } = gateway;
    const { id } = (await api.call("createTenant", { body: { name: "merged" } })).data;
    const params = { id };
    await Promise.all([
      api.call("updateTenant", { params, body: { weight: 7 } }),
      api.call("updateTenant", { params, body: { description: "by the other" } }),
    ]);
    expect((await api.call("getTenant", { params })).data).toMatchObject({
      weight: 7,
      description: "by the other",
      version: 3,
    });
  });
});

describe("boosts", () => {
  const inHours = (hours: number) => new Date(gateway.clock.wallMs() + hours * 3_600_000).toISOString();

  it("are refused without a reason, past a day, in the past, and out of range", async () => {
    const { api } = gateway;
    const { id: tenant_id } = (await api.call("createTenant", { body: { name: "unboosted" } })).data;
    const make = (body: object) =>
      api.call("createBoost", { body: { tenant_id, factor: 2, reason: "incident", expires_at: inHours(1), ...body } });
    await expect(make({ reason: "" })).rejects.toMatchObject({ status: 400, details: { field: "reason" } });
    await expect(make({ reason: "  " })).rejects.toMatchObject({ status: 400, details: { field: "reason" } });
    await expect(make({ expires_at: inHours(24.01) })).rejects.toMatchObject({
      status: 400,
      details: { field: "expires_at" },
    });
    await expect(make({ expires_at: inHours(-1) })).rejects.toMatchObject({
      status: 400,
      details: { field: "expires_at" },
    });
    await expect(make({ factor: 0 })).rejects.toMatchObject({ status: 400, details: { field: "factor" } });
    await expect(make({ factor: 101 })).rejects.toMatchObject({ status: 400, details: { field: "factor" } });
    await expect(make({ weight: 5 })).rejects.toMatchObject({ status: 400, details: { field: "factor" } });
  });

  it("are ended by the sweeper at their time, once, and a database that is away is asked again", async () => {
    const { api, database, clock, deps } = gateway;
    const { id: tenant_id } = (await api.call("createTenant", { body: { name: "swept" } })).data;
    await api.call("createBoost", { body: { tenant_id, factor: 2, reason: "r", expires_at: inHours(0.001) } });
    const sweeper = new BoostSweeper({ db: database.db, clock, log: deps.log });
    await sweeper.sweep();
    expect((await api.call("listBoosts", { query: { tenant_id } })).data.total).toBe(1);
    clock.advance(3_600);
    await sweeper.sweep();
    const { data } = await api.call("listAudit", { query: { object: "swept", kind: "boost" } });
    expect(data.items.map((row) => row.action)).toEqual(["boost.expire", "boost.create"]);
    const away = makeDb("postgres://nobody@127.0.0.1:1/none");
    await expect(new BoostSweeper({ db: away.db, clock, log: deps.log }).sweep()).resolves.toBeUndefined();
    await away.close();
  });

  it("replace one of the same scope, say so, and end by themselves with both ends audited", async () => {
    const { api } = gateway;
    const { id: tenant_id } = (await api.call("createTenant", { body: { name: "boosted", weight: 50 } })).data;
    const body = { tenant_id, reason: "incident", expires_at: inHours(1) };
    const first = (await api.call("createBoost", { body: { ...body, factor: 3 } })).data;
    const second = (await api.call("createBoost", { body: { ...body, weight: 500 } })).data;
    expect(second).toMatchObject({ factor: 10, weight: 500, replaces: first.id, state: "active" });
    const perModel = (await api.call("createBoost", { body: { ...body, factor: 2, model: "rev-model" } })).data;
    expect(perModel.replaces).toBeNull();

    gateway.clock.advance(3_600_001);
    const active = await api.call("listBoosts", { query: { tenant_id } });
    expect(active.data.items).toEqual([]);
    const nowMs = gateway.clock.wallMs();
    const swept = await Promise.all([
      endExpiredBoosts(gateway.database.db, nowMs),
      endExpiredBoosts(gateway.database.db, nowMs),
    ]);
    expect(swept.sort()).toEqual([0, 2]);
    const { data } = await api.call("listAudit", { query: { kind: "boost", object: "boosted" } });
    expect(data.items.map((row) => [row.action, row.actor, row.source])).toEqual([
      ["boost.expire", "system", "boost"],
      ["boost.replace", "token", "api"],
      ["boost.create", "token", "api"],
    ]);
    const ended = (await api.call("listBoosts", { query: { tenant_id, state: "ended" } })).data.items;
    expect(ended.find((boost) => boost.id === second.id)).toMatchObject({
      ended_by: "system",
      ended_at: body.expires_at,
    });
  });
});

describe("notices", () => {
  it("reach a listener with what changed, in order, and only when the change is committed", async () => {
    const { api, database } = gateway;
    const notices: ConfigNotice[] = [];
    const arrived = signal();
    const watch = await watchConfigChanges({
      url: database.url,
      db: database.db,
      pollMs: 60_000,
      setTimer: (delayMs, fire) => gateway.clock.setTimer(delayMs, fire),
      onNotice: (notice) => {
        notices.push(notice);
        arrived.tick();
      },
    });
    const start = watch.version();
    const { id } = (await api.call("createTenant", { body: { name: "noticed" } })).data;
    await api.call("createTenant", { body: { name: "noticed" } }).catch(() => undefined);
    await api.dryRun("setTenantWeight", { params: { id }, body: { weight: 9 } });
    const changed = await api.call("setTenantWeight", { params: { id }, body: { weight: 9 } });
    await arrived.until(() => notices.length >= 2);
    expect(notices).toEqual([
      { version: start + 1, changes: [{ kind: "tenant", id }] },
      { version: start + 2, changes: [{ kind: "tenant", id }] },
    ]);
    expect(watch.version()).toBe(changed.configVersion);
    await watch.close();
  });

  it("that were missed are made up for by the poll, as anything", async () => {
    const { api, database } = gateway;
    const notices: ConfigNotice[] = [];
    const arrived = signal();
    const deaf = makeDb(database.url, { maxConnections: 1 });
    const watch = await watchConfigChanges({
      url: database.url,
      db: deaf.db,
      pollMs: 1_000,
      setTimer: (delayMs, fire) => gateway.clock.setTimer(delayMs, fire),
      onNotice: (notice) => {
        notices.push(notice);
        arrived.tick();
      },
    });
    await database.sql`update config_version set version = version + 5`;
    gateway.clock.advance(1_000);
    await arrived.until(() => notices.length === 1);
    expect(notices[0]?.changes).toBe("all");
    await database.sql`select pg_terminate_backend(pid) from pg_stat_activity where query ilike 'listen%' and datname = current_database()`;
    await api.call("createGroup", { body: { name: "after the cut" } });
    await arrived.until(
      () => watch.version() >= (notices[0]?.version ?? 0) + 1,
      () => gateway.clock.advance(1_000),
    );
    await watch.close();
    await deaf.close();
  });
});

describe("a configuration file", () => {
  it("exported, the database emptied and imported again, leaves nothing different", async () => {
    const { api } = gateway;
    const { id } = (
      await api.call("createTenant", {
        body: {
          name: "__proto__",
          group: "batch",
          budget_tokens: Number.MAX_SAFE_INTEGER,
          allowed_models: ["rev-model"],
          model_caps: [{ model: "rev-model", max_in_flight: 3 }],
          weekly_windows: [{ day: 1, start_min: 0, end_min: 1440 }],
        },
      })
    ).data;
    await api.call("createKey", { params: { id }, body: { name: "survivor", max_in_flight: 2 } });
    await api.call("createBoost", {
      body: {
        tenant_id: id,
        factor: 2,
        reason: "kept",
        expires_at: new Date(gateway.clock.wallMs() + 60_000).toISOString(),
      },
    });
    await api.call("createEndpoint", {
      params: { id: "rev-model" },
      body: { api_base: "http://h/v1", headers: { "x-a": "1" } },
    });
    const before = await config();
    await gateway.database
      .sql`truncate groups, tenants, keys, models, model_aliases, endpoints, boosts, settings cascade`;
    const imported = await api.call("importConfig", { body: before });
    expect(imported.data.created).toBeGreaterThan(5);
    expect(await config()).toEqual(before);
    const again = await api.call("importConfig", { body: before });
    expect(again.data).toMatchObject({ created: 0, updated: 0 });
    expect(again.auditId).toBeNull();
  });

  it("is of one moment, however much changes meanwhile", async () => {
    const { sql } = gateway.database;
    let isOver = false;
    const changing = (async () => {
      while (!isOver) {
        await sql`with made as (
            insert into tenants (name, group_id) select 'passing', id from groups where name = 'default' returning id
          ) insert into keys (tenant_id, name, prefix, secret_hash, created_by)
            select id, 'passing', 'sk_', repeat('ab', 32), 'token' from made`;
        await sql`delete from tenants where name = 'passing'`;
      }
    })();
    const states = new Set<boolean>();
    for (let i = 0; i < 100; i++) {
      const file = await config();
      const tenants = new Set(file.tenants.map((tenant) => tenant.id));
      expect(file.keys.filter((key) => !tenants.has(key.tenant_id))).toEqual([]);
      states.add(file.tenants.some((tenant) => tenant.name === "passing"));
    }
    isOver = true;
    await changing;
    expect(states.size).toBe(2);
  });

  it("whose credentials another key sealed is refused", async () => {
    const file = await config();
    const foreign = makeSealer("some other key").seal("x", "endpoint_key");
    const models = file.models.map((model) => ({
      ...model,
      endpoints: model.endpoints.map((endpoint) => ({ ...endpoint, api_key_sealed: foreign })),
    }));
    const call = gateway.api.call("importConfig", { body: { ...file, models } });
    await expect(call).rejects.toMatchObject({
      status: 400,
      details: { field: expect.stringMatching(/^models\.\d+\.endpoints/) },
    });
  });

  it("is written only to the configuration it was made of, when that is asked for", async () => {
    const { api } = gateway;
    const { data: file, etag } = await api.call("exportConfig", {});
    await api.call("createGroup", { body: { name: "since the export" } });
    const late = api.call("importConfig", { body: file }, { ifMatch: etag ?? "" });
    await expect(late).rejects.toMatchObject({ status: 412, code: "stale_edit" });
    const now = await api.call("exportConfig", {});
    await expect(api.call("importConfig", { body: file }, { ifMatch: now.etag ?? "" })).resolves.toBeDefined();
  });

  it("with one bad entry changes nothing, and says which", async () => {
    const before = await config();
    const broken = {
      ...before,
      groups: [...before.groups, { name: "extra", weight: 1, color: 0 }],
      tenants: before.tenants.map((tenant, index) => (index === 1 ? { ...tenant, group: "nowhere" } : tenant)),
    };
    const call = gateway.api.call("importConfig", { body: broken });
    await expect(call).rejects.toMatchObject({ status: 400, details: { field: "tenants.1.group" } });
    expect(await config()).toEqual(before);
  });
});

describe("while the database is away", () => {
  it("changes answer 503, and whoever is signed in still sees the live state but changes nothing", async () => {
    const away = await startTestGateway();
    const body = { email: "night@example.org", role: "admin" as const, password: "on call tonight" };
    await away.api.call("createUser", { body });
    const { token } = (await away.as(undefined).call("login", { body: { email: body.email, password: body.password } }))
      .data;
    const api = away.as(token);
    await api.call("getMe", {});
    await away.database.close();
    await expect(api.call("getFairshareLive", {})).resolves.toBeDefined();
    await expect(api.call("createGroup", { body: { name: "x" } })).rejects.toMatchObject({ status: 503 });
    await expect(away.as("never-seen").call("getFairshareLive", {})).rejects.toMatchObject({ status: 503 });
    await expect(away.api.call("listTenants", {})).rejects.toMatchObject({ status: 503, code: "unavailable" });
    away.clock.advance(15 * 60_000 + 1);
    await expect(api.call("getFairshareLive", {})).rejects.toMatchObject({ status: 503 });
    await away.close();
  });
});

describe("instants", () => {
  it.each(["UTC", "Asia/Kathmandu", "America/Sao_Paulo"])("are the same with the gateway in %s", async (zone) => {
    const before = process.env.TZ;
    process.env.TZ = zone;
    try {
      const { api, database } = gateway;
      const { id } = (
        await api.call("createTenant", { body: { name: `in ${zone}`, active_from: "2026-03-29T02:30:00+05:45" } })
      ).data;
      const made = await api.call("createKey", {
        params: { id },
        body: { name: zone, expires_at: "2026-11-30T10:00:00-03:00" },
      });
      expect(made.data.key.expires_at).toBe("2026-11-30T13:00:00.000Z");
      const [row] = await database.sql`
        select extract(epoch from k.expires_at)::text as key, extract(epoch from t.active_from)::text as tenant
        from keys k join tenants t on t.id = k.tenant_id where t.id = ${id}`;
      expect(Number(row?.key) * 1000).toBe(Date.UTC(2026, 10, 30, 13));
      expect(Number(row?.tenant) * 1000).toBe(Date.UTC(2026, 2, 28, 20, 45));
      const read = await api.call("getKey", { params: { id: made.data.key.id } });
      expect(read.data.expires_at).toBe(made.data.key.expires_at);
    } finally {
      if (before === undefined) delete process.env.TZ;
      else process.env.TZ = before;
    }
  });
});

/** Waits for a condition that a callback brings about, with a deadline instead of a sleep. */
function signal() {
  let wake: () => void = () => {};
  return {
    tick: () => wake(),
    until: async (condition: () => boolean, nudge?: () => void) => {
      const deadline = Date.now() + 10_000;
      while (!condition()) {
        if (Date.now() > deadline) throw new Error("nothing arrived in 10 s");
        nudge?.();
        await new Promise<void>((resolve) => {
          wake = resolve;
          setTimeout(resolve, 50);
        });
      }
    },
  };
}
