/** Drives every route from the OpenAPI document, with plain, odd and hostile values. */
import { API_BASE, paths, type RouteId, type RouteSpec, routes, takesIfMatch } from "@obleth/contract";
import { BODY_EXAMPLES, openApiDocument } from "@obleth/contract/openapi";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { HOSTILE_SEGMENTS, HOSTILE_VALUES, type Schema, sampleOf } from "./testing/hostile";
import { ADMIN_TOKEN, startTestGateway, type TestGateway } from "./testing/test-gateway";

// Some tests send hundreds of requests; on a busy machine the usual minute may not do.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

interface Operation {
  readonly id: RouteId;
  readonly method: string;
  readonly path: string;
  readonly query: readonly { name: string; schema: Schema }[];
  readonly body: Schema | undefined;
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}

const document = openApiDocument({ version: "test" });
const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
const resolve = (ref: string): Schema => schemas[ref.replace("#/components/schemas/", "")] ?? {};

const operations: Operation[] = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
  Object.entries(item as Record<string, OperationJson>).map(([method, operation]) => ({
    id: operation.operationId as RouteId,
    method: method.toUpperCase(),
    path,
    query: (operation.parameters ?? []).filter((parameter) => parameter.in === "query"),
    body: deref(operation.requestBody?.content["application/json"]?.schema),
    responses: operation.responses,
  })),
);

interface OperationJson {
  operationId: string;
  parameters?: { in: string; name: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Operation["responses"];
}

function deref(schema: Schema | undefined): Schema | undefined {
  return schema?.$ref === undefined ? schema : resolve(schema.$ref);
}

let gateway: TestGateway;
let made = 0;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.close());

/** Things to work on, fresh, since some routes delete them. */
async function fixture(): Promise<Record<string, string>> {
  const { api } = gateway;
  const n = ++made;
  const group = (await api.call("createGroup", { body: { name: `g${n}` } })).data;
  const tenant = (await api.call("createTenant", { body: { name: `t${n}`, group: "default" } })).data;
  const key = (await api.call("createKey", { params: { id: tenant.id }, body: { name: `k${n}` } })).data.key;
  await api.call("rotateKey", { params: { id: key.id }, body: { overlap_secs: 60 } });
  const model = (await api.call("createModel", { body: { name: `m${n}`, api_base: "http://up/v1" } })).data;
  await api.call("setModelCap", { params: { id: tenant.id, model: model.name }, body: { max_in_flight: 3 } });
  const boost = await api.call("createBoost", {
    body: {
      tenant_id: tenant.id,
      factor: 2,
      reason: "test",
      expires_at: new Date(gateway.clock.wallMs() + 60_000).toISOString(),
    },
  });
  const user = (await api.call("createUser", { body: { email: `u${n}@example.org` } })).data;
  return {
    group: group.name,
    tenant: tenant.id,
    key: key.id,
    model: model.name,
    endpoint: model.endpoints[0]?.id ?? "",
    boost: boost.data.id,
    audit: String(boost.auditId),
    user: user.id,
  };
}

/** What every change moves. */
async function configState(): Promise<unknown> {
  return await gateway.database
    .sql`select (select version from config_version)::int as version, (select count(*) from audit_log)::int as changes`;
}

/** Which fixture a path's parameters name. */
function paramsFor(path: string, ids: Record<string, string>): Record<string, string> {
  const kind = path.split("/")[1] ?? "";
  const main = { tenants: "tenant", keys: "key", models: "model", boosts: "boost", audit: "audit", users: "user" }[
    kind
  ];
  return { id: ids[main ?? ""] ?? "", name: ids.group ?? "", model: ids.model ?? "", eid: ids.endpoint ?? "" };
}

async function send(
  operation: Operation,
  given: {
    params: Record<string, string>;
    query?: string;
    body?: unknown;
    rawBody?: string;
    ifMatch?: string;
    headers?: Record<string, string>;
  },
): Promise<{ status: number; body: unknown; error?: { code: string; field?: string; type: string; message: string } }> {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => given.params[name] ?? "");
  const headers = new Headers({
    authorization: `Bearer ${ADMIN_TOKEN}`,
    "content-type": "application/json",
    ...given.headers,
  });
  if (given.ifMatch !== undefined) headers.set("if-match", given.ifMatch);
  const init: RequestInit = { method: operation.method, headers };
  const text = given.rawBody ?? (given.body === undefined ? undefined : JSON.stringify(given.body));
  if (text !== undefined && operation.method !== "GET") init.body = text;
  const response = await gateway.request(`${API_BASE}${path}${given.query ?? ""}`, init);
  const isJson = (response.headers.get("content-type") ?? "").includes("json");
  const body: unknown = isJson ? await response.json() : await response.text();
  const error = (body as { error?: { code: string; field?: string; type: string; message: string } } | null)?.error;
  if (response.status >= 400) {
    expect(error, `${operation.id} ${response.status}`).toMatchObject({ type: "obleth_management_error" });
    // A hostile segment may make another path of it, with other methods.
    const named = response.status === 405 ? "`method_not_allowed`" : operation.responses[response.status]?.description;
    expect(named ?? "no such refusal", `${operation.id} ${response.status}: ${error?.message}`).toContain(
      `\`${error?.code}\``,
    );
  }
  return error === undefined ? { status: response.status, body } : { status: response.status, body, error };
}

it("takes the examples of the reference, in the order in which a newcomer sends them", async () => {
  const fresh = await startTestGateway();
  try {
    const objects: Record<string, string> = { name: "chat" };
    const sent: string[] = [];
    for (const id of IN_ORDER) {
      const { method, path } = paths[id];
      const [kind] = path.slice(1).split("/");
      const own = { tenants: objects.tenant, keys: objects.key, users: objects.user }[kind ?? ""];
      const given: Record<string, string | undefined> = { ...objects, id: own ?? "llama-70b", model: "llama-70b" };
      const route = path.replace(/\{(\w+)\}/g, (_, name: string) => given[name] ?? "");
      const init = { method, headers: { "content-type": "application/json" }, body: JSON.stringify(BODY_EXAMPLES[id]) };
      const response = await fresh.request(`${API_BASE}${route}`, init);
      const answer = (await response.json()) as { id?: string; key?: { id: string } };
      expect(response.ok, `${id}: ${JSON.stringify(answer)}`).toBe(true);
      sent.push(id);
      if (id === "createTenant") objects.tenant = answer.id ?? "";
      if (id === "createKey") objects.key = answer.key?.id ?? "";
      if (id === "createUser") objects.user = answer.id ?? "";
      if (id === "createEndpoint") objects.eid = answer.id ?? "";
    }
    expect(sent).toHaveLength(IN_ORDER.length);
  } finally {
    await fresh.close();
  }
});

const IN_ORDER = [
  "createGroup",
  "updateGroup",
  "createModel",
  "createTenant",
  "updateTenant",
  "setTenantWeight",
  "setTenantQuota",
  "setModelCap",
  "createKey",
  "updateKey",
  "rotateKey",
  "createEndpoint",
  "updateEndpoint",
  "setModelWeight",
  "setModelCapacity",
  "setModelCapacityMode",
  "setSessionAffinity",
  "replaceModel",
  "updateModel",
  "discoverModels",
  "importModels",
  "importConfig",
  "setCapacity",
  "createUser",
  "updateUser",
] as const satisfies readonly RouteId[];

const CHANGES_WHO_CALLS = new Set<RouteId>(["login", "logout", "resetPassword", "changePassword"]);

describe.each(operations.map((operation) => [operation.id, operation] as const))("%s", (id, operation) => {
  const spec: RouteSpec = routes[id];
  let ids: Record<string, string>;
  beforeAll(async () => {
    ids = await fixture();
  });
  const plainBody = () =>
    operation.body === undefined
      ? undefined
      : { ...(sampleOf(operation.body, resolve, false) as object), ...SAMPLES(ids)[id] };
  const call = (given: {
    params?: Record<string, string>;
    query?: string;
    body?: unknown;
    rawBody?: string;
    ifMatch?: string;
    headers?: Record<string, string>;
  }) => send(operation, { params: paramsFor(operation.path, ids), ...given });

  it("answers a plain request as the contract says", async () => {
    const query = QUERIES(ids)[id] ?? "";
    const answer = await call({ body: plainBody(), query });
    if (CHANGES_WHO_CALLS.has(id)) return expect(answer.status).toBeLessThan(500);
    expect(answer.error, JSON.stringify(answer.error)).toBeUndefined();
    expect(answer.status).toBe(spec.status);
    if (spec.response !== undefined) {
      const parsed = spec.response.safeParse(answer.body);
      expect(parsed.error?.issues, id).toBeUndefined();
    }
    if (operation.method === "DELETE") ids = await fixture();
  });

  if (operation.method === "GET")
    it("changes nothing, whatever method its headers ask for instead", async () => {
      const stateBefore = await configState();
      const headers = { "x-http-method-override": "DELETE", "x-http-method": "DELETE", "x-method-override": "DELETE" };
      const answer = await call({ query: QUERIES(ids)[id] ?? "", headers });
      expect(answer.status).toBe(spec.status);
      expect(await configState()).toEqual(stateBefore);
    });

  if (operation.method !== "GET")
    it("compares the version of If-Match, or says that it does not", async () => {
      const answer = await call({ body: plainBody(), query: QUERIES(ids)[id] ?? "", ifMatch: '"987654"' });
      const expected = takesIfMatch(id) ? [412, "stale_edit"] : [400, "invalid_request"];
      expect([answer.status, answer.error?.code], JSON.stringify(answer.error)).toEqual(expected);
    });

  it("refuses a query parameter it does not know", async () => {
    const answer = await call({
      body: plainBody(),
      query: `?${new URLSearchParams({ ...requiredQuery(id, ids), nonsense: "1" })}`,
    });
    expect(answer.status).toBe(400);
    expect(answer.error?.field).toBe("nonsense");
  });

  if (operation.query.length > 0)
    it("survives hostile query values, naming the parameter when it refuses", async () => {
      for (const { name } of operation.query) {
        for (const value of [
          "",
          "-1",
          "1e99",
          "null",
          "\u0000",
          "__proto__",
          "9".repeat(30),
          "x".repeat(3000),
          "2026-11-30",
          "%ff",
        ]) {
          const query = `?${new URLSearchParams({ ...requiredQuery(id, ids), [name]: value })}`;
          const answer = await call({ body: plainBody(), query });
          expect(answer.status, `${name}=${value.slice(0, 20)}`).toBeLessThan(500);
          if (answer.status === 400) expect(answer.error?.field, `${name}=${value.slice(0, 20)}`).toBeDefined();
        }
      }
      if (operation.method === "DELETE") ids = await fixture();
    });

  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
  if (names.length > 0)
    it("survives hostile path segments", async () => {
      for (const name of names) {
        for (const segment of HOSTILE_SEGMENTS) {
          const params = { ...paramsFor(operation.path, ids), [name]: segment };
          const answer = await call({ params, body: plainBody() });
          expect(answer.status, segment.slice(0, 20)).toBeLessThan(500);
        }
      }
    });

  if (operation.body !== undefined) {
    const fields = Object.keys(operation.body.properties ?? {});

    it("refuses an unknown field, and names it", async () => {
      for (const unknown of ["nonsense", "__proto__", "constructor"]) {
        const body = JSON.stringify(plainBody()).replace(
          /^\{(\})?/,
          (_, empty) => `{"${unknown}": 1${empty === undefined ? "," : "}"}`,
        );
        const answer = await call({ rawBody: body });
        expect(answer.status, unknown).toBe(400);
        expect(answer.error?.field, unknown).toBe(unknown);
      }
    });

    it("survives hostile field values, naming the field when it refuses", async () => {
      for (const field of fields) {
        for (const value of HOSTILE_VALUES) {
          const answer = await call({ body: { ...plainBody(), [field]: value } });
          const what = `${field} = ${JSON.stringify(value)?.slice(0, 40)}`;
          expect(answer.status, what).toBeLessThan(500);
          if (answer.status === 400) expect(fields, what).toContain(answer.error?.field?.split(".")[0]);
        }
      }
    });

    it("refuses what is not a JSON object in UTF-8", async () => {
      for (const rawBody of [
        "[]",
        "null",
        "5",
        '"x"',
        "{",
        '{"a":}',
        "{'a':1}",
        `${"[".repeat(5000)}${"]".repeat(5000)}`,
      ]) {
        expect((await call({ rawBody })).status, rawBody.slice(0, 10)).toBe(400);
      }
    });
  }

  if (spec.role !== "public") {
    it("is closed without credentials and with wrong ones", async () => {
      for (const authorization of ["", "Bearer wrong", `Basic ${ADMIN_TOKEN}`, "Bearer", `Bearer ${ADMIN_TOKEN}x`]) {
        const path = operation.path.replace(/\{(\w+)\}/g, "x");
        const response = await gateway.request(`${API_BASE}${path}`, {
          method: operation.method,
          headers: { authorization },
        });
        expect(response.status, authorization).toBe(401);
      }
    });
  }
});

it("leaves the prototype of objects alone after all of that", () => {
  expect(({} as { a?: unknown }).a).toBeUndefined();
  expect(Object.keys(Object.prototype)).toEqual([]);
});

/** What a body needs that its schema alone does not say. */
function SAMPLES(ids: Record<string, string>): Partial<Record<RouteId, object>> {
  made++;
  const expires_at = new Date(gateway.clock.wallMs() + 60_000).toISOString();
  return {
    createGroup: { name: `new group ${made}` },
    updateGroup: {},
    setGroupWeights: { weights: { [ids.group ?? ""]: 5 } },
    createTenant: { name: `new tenant ${made}` },
    setTenantGroup: { group: "default" },
    createModel: { name: `new model ${made}` },
    replaceModel: { name: ids.model },
    createEndpoint: { api_base: "http://up/v1" },
    importModels: { models: [{ name: `imported ${made}` }] },
    discoverModels: { api_base: "http://up/v1" },
    createBoost: { tenant_id: ids.tenant, factor: 2, expires_at },
    createUser: { email: `new${made}@example.org` },
    previewFairshare: { changes: [{ kind: "tenant_weight", id: ids.tenant, value: 5 }] },
    importConfig: { groups: [], models: [], tenants: [], keys: [], boosts: [], global_max_in_flight: null },
  };
}

function requiredQuery(id: RouteId, ids: Record<string, string>): Record<string, string> {
  return id === "explainFairshare" ? { pool: ids.model ?? "" } : {};
}

function QUERIES(ids: Record<string, string>): Partial<Record<RouteId, string>> {
  return { explainFairshare: `?pool=${ids.model}&tenant_id=${ids.tenant}` };
}

it("has a document for every path of the table", () => {
  expect(operations).toHaveLength(Object.keys(paths).length);
});
