import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN_TOKEN, startTestGateway, type TestGateway } from "./testing/test-gateway";

const PASSWORD = "correct horse battery";
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.close());

async function person(email: string, role: "admin" | "viewer" = "viewer") {
  const user = (await gateway.api.call("createUser", { body: { email, role, password: PASSWORD } })).data;
  const { data } = await gateway.as(undefined).call("login", { body: { email, password: PASSWORD } });
  return { user, token: data.token, api: gateway.as(data.token) };
}

describe("signing in", () => {
  it("is a first run until somebody has a password", async () => {
    expect((await gateway.as(undefined).call("getAuthState", {})).data).toMatchObject({
      first_run: true,
      environment_label: "test",
    });
    await gateway.api.call("createUser", { body: { email: "invited@example.org", role: "admin" } });
    expect((await gateway.as(undefined).call("getAuthState", {})).data.first_run).toBe(true);
    await person("first@example.org", "admin");
    expect((await gateway.as(undefined).call("getAuthState", {})).data.first_run).toBe(false);
  });

  it("gives a token that is stored only as a hash, and a password only as argon2id", async () => {
    const { token } = await person("hashed@example.org");
    const rows = JSON.stringify([
      await gateway.database.sql`select row_to_json(sessions)::text from sessions`,
      await gateway.database.sql`select row_to_json(users)::text from users`,
    ]);
    expect(rows).not.toContain(token);
    expect(rows).not.toContain(PASSWORD);
    expect(rows).toContain("$argon2id$");
  });

  it("says the same for a wrong password, an unknown email and a user without a password", async () => {
    await gateway.api.call("createUser", { body: { email: "nopass@example.org" } });
    const messages = [];
    for (const email of ["hashed@example.org", "nobody@example.org", "nopass@example.org"]) {
      const attempt = gateway.as(undefined).call("login", { body: { email, password: "wrong password" } });
      messages.push(await attempt.catch((error: Error) => error.message));
    }
    expect(new Set(messages).size).toBe(1);
  });

  it("is slowed after repeated failures, with the time to wait, and forgiven later", async () => {
    await person("guessed@example.org");
    const attempt = (password: string) =>
      gateway.as(undefined).call("login", { body: { email: "guessed@example.org", password } });
    for (let n = 0; n < 8; n++) await expect(attempt("wrong password")).rejects.toMatchObject({ status: 401 });
    await expect(attempt(PASSWORD)).rejects.toMatchObject({ status: 429, details: { retryAfterSecs: 900 } });
    gateway.clock.advance(900_001);
    await expect(attempt(PASSWORD)).resolves.toMatchObject({ data: { user: { email: "guessed@example.org" } } });
  });

  it("ends at logout, after its time, and for every session when an admin says so", async () => {
    const { api, user } = await person("leaves@example.org");
    expect((await api.call("getMe", {})).data).toMatchObject({ kind: "user", role: "viewer" });
    await api.call("logout", {});
    await expect(api.call("getMe", {})).rejects.toMatchObject({ status: 401 });

    const again = gateway.as(
      (await gateway.as(undefined).call("login", { body: { email: user.email, password: PASSWORD } })).data.token,
    );
    gateway.clock.advance(3_600_001);
    await expect(again.call("getMe", {})).rejects.toMatchObject({ status: 401 });

    const third = gateway.as(
      (await gateway.as(undefined).call("login", { body: { email: user.email, password: PASSWORD } })).data.token,
    );
    await gateway.api.call("endUserSessions", { params: { id: user.id } });
    await expect(third.call("getMe", {})).rejects.toMatchObject({ status: 401 });
  });

  it("ends the other sessions when the password changes, and needs the present one", async () => {
    const { api, user } = await person("changes@example.org");
    const other = gateway.as(
      (await gateway.as(undefined).call("login", { body: { email: user.email, password: PASSWORD } })).data.token,
    );
    const wrong = api.call("changePassword", {
      body: { current_password: "not it at all", new_password: "another password" },
    });
    await expect(wrong).rejects.toMatchObject({ status: 401, details: { field: "current_password" } });
    await api.call("changePassword", { body: { current_password: PASSWORD, new_password: "another password" } });
    await expect(api.call("getMe", {})).resolves.toBeDefined();
    await expect(other.call("getMe", {})).rejects.toMatchObject({ status: 401 });
    await expect(
      gateway.as(undefined).call("login", { body: { email: user.email, password: PASSWORD } }),
    ).rejects.toMatchObject({ status: 401 });
  });

  it("by a reset link works once and within a day", async () => {
    const { user } = await person("resets@example.org");
    const link = (await gateway.api.call("createResetLink", { params: { id: user.id } })).data;
    expect(link.path).toBe(`/reset?token=${link.token}`);
    const reset = (token: string) =>
      gateway.as(undefined).call("resetPassword", { body: { token, new_password: "chosen by link" } });
    await reset(link.token);
    await expect(reset(link.token)).rejects.toMatchObject({ status: 401, details: { field: "token" } });
    await gateway.as(undefined).call("login", { body: { email: user.email, password: "chosen by link" } });
    const late = (await gateway.api.call("createResetLink", { params: { id: user.id } })).data;
    gateway.clock.advance(24 * 3_600_000 + 1);
    await expect(reset(late.token)).rejects.toMatchObject({ status: 401 });
  });
});

describe("roles", () => {
  it("let a viewer read all but people and configuration files, and change nothing", async () => {
    const { api } = await person("viewer@example.org");
    for (const id of [
      "listGroups",
      "listTenants",
      "listKeys",
      "listModels",
      "listBoosts",
      "listAudit",
      "getOverview",
      "getCluster",
    ] as const) {
      await expect(api.call(id, {}), id).resolves.toBeDefined();
    }
    await expect(api.call("listUsers", {})).rejects.toMatchObject({ status: 403, code: "forbidden" });
    await expect(api.call("exportConfig", {})).rejects.toMatchObject({ status: 403 });
    await expect(api.call("createGroup", { body: { name: "by a viewer" } })).rejects.toMatchObject({ status: 403 });
    await expect(api.dryRun("createGroup", { body: { name: "by a viewer" } })).rejects.toMatchObject({ status: 403 });
  });

  it("take effect for sessions that are open", async () => {
    const { api, user } = await person("demoted@example.org", "admin");
    await api.call("createGroup", { body: { name: "while admin" } });
    await gateway.api.call("updateUser", { params: { id: user.id }, body: { role: "viewer" } });
    await expect(api.call("createGroup", { body: { name: "no more" } })).rejects.toMatchObject({ status: 403 });
  });

  it("never leave the installation without an admin", async () => {
    const { data } = await gateway.api.call("listUsers", { query: { role: "admin" } });
    const [keep, ...others] = data.items;
    for (const other of others) await gateway.api.call("deleteUser", { params: { id: other.id } });
    const id = keep?.id ?? "";
    await expect(gateway.api.call("deleteUser", { params: { id } })).rejects.toMatchObject({
      status: 409,
      code: "last_admin",
    });
    const demote = gateway.api.call("updateUser", { params: { id }, body: { role: "viewer" } });
    await expect(demote).rejects.toMatchObject({ status: 409, code: "last_admin" });
  });

  it("write the person into the audit log, and the dashboard as the way", async () => {
    const { token } = await person("auditor@example.org", "admin");
    const response = await gateway.request("/api/v1/fairshare/groups", {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "x-obleth-client": "dashboard",
        "x-request-id": "req-12345678",
      },
      body: '{"name":"audited"}',
    });
    const id = Number(response.headers.get("x-obleth-audit-id"));
    expect(response.headers.get("x-obleth-request-id")).toBe("req-12345678");
    const { data } = await gateway.api.call("listAudit", { query: { object: "audited" } });
    expect(data.items[0]).toMatchObject({
      id,
      actor: "auditor@example.org",
      source: "dashboard",
      request_id: "req-12345678",
    });
  });
});

describe("the edge", () => {
  it("refuses bodies that do not say they are JSON: a page of another site cannot send JSON unasked", async () => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
      const init = { method: "POST", headers: { "content-type": type }, body: '{"name":"foreign"}' };
      expect((await gateway.request("/api/v1/fairshare/groups", init)).status, type).toBe(415);
    }
  });

  it("refuses a body in another encoding than it would be read in", async () => {
    const post = (headers: Record<string, string>) => ({
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: '{"name":"encoded"}',
    });
    const refused: Record<string, string>[] = [
      { "content-type": "application/json; charset=utf-16" },
      { "content-encoding": "gzip" },
    ];
    for (const headers of refused) {
      expect((await gateway.request("/api/v1/fairshare/groups", post(headers))).status).toBe(415);
    }
    const plain = post({ "content-type": 'application/json; charset="UTF-8"', "content-encoding": "identity" });
    expect((await gateway.request("/api/v1/fairshare/groups", plain)).status).toBe(201);
  });

  it("takes little from whoever has not signed in", async () => {
    const body = JSON.stringify({ email: "a@b.example", password: "x".repeat(20_000) });
    const init = { method: "POST", headers: { "content-type": "application/json", authorization: "" }, body };
    expect((await gateway.request("/api/v1/auth/login", init)).status).toBe(413);
  });

  it("answers 405 with the methods there are, and 404 for what is not there", async () => {
    const wrong = await gateway.request("/api/v1/tenants", { method: "DELETE" });
    expect(wrong.status).toBe(405);
    expect(wrong.headers.get("allow")).toBe("GET, POST");
    const none = await gateway.request("/api/v1/nothing");
    expect(none.status).toBe(404);
    expect(await none.json()).toMatchObject({ error: { code: "not_found", type: "obleth_management_error" } });
  });

  it("refuses a body over the limit, with or without saying its length", async () => {
    const body = JSON.stringify({ name: "x".repeat(1_100_000) });
    const init = { method: "POST", headers: { "content-type": "application/json" }, body };
    expect((await gateway.request("/api/v1/fairshare/groups", init)).status).toBe(413);
    const stream = new Blob([body]).stream();
    const chunked = { ...init, body: stream, duplex: "half" } as RequestInit;
    expect((await gateway.request("/api/v1/fairshare/groups", chunked)).status).toBe(413);
    // A file to import may be larger, and has a limit as well.
    expect((await gateway.request("/api/v1/config/import", init)).status).toBe(400);
    const larger = { ...init, body: JSON.stringify({ name: "x".repeat(4_100_000) }) };
    expect((await gateway.request("/api/v1/config/import", larger)).status).toBe(413);
  });

  it("gives the live state with a strong ETag, 304 to who has it, and gzip to who takes it", async () => {
    const first = await gateway.request("/api/v1/fairshare/live");
    const etag = first.headers.get("etag") ?? "";
    expect(etag).toBe('"state-1"');
    const second = await gateway.request("/api/v1/fairshare/live", { headers: { "if-none-match": etag } });
    expect([second.status, await second.text()]).toEqual([304, ""]);
    const zipped = await gateway.request("/api/v1/fairshare/live", { headers: { "accept-encoding": "br, gzip" } });
    expect(zipped.headers.get("content-encoding")).toBe("gzip");
    const refused = await gateway.request("/api/v1/fairshare/live", { headers: { "accept-encoding": "gzip;q=0" } });
    expect(refused.headers.get("content-encoding")).toBeNull();
  });

  it("serves the reference and its document without any other host", async () => {
    const page = await (await gateway.request("/api/docs")).text();
    expect(page).not.toMatch(/https?:\/\//);
    const assets = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? "");
    expect(assets.length).toBeGreaterThan(2);
    for (const path of assets)
      expect((await gateway.request(path, { headers: { authorization: "" } })).status, path).toBe(200);
    expect((await gateway.request("/api/docs/..%2fpackage.json")).status).toBe(404);
    const document = (await (await gateway.request("/api/v1/openapi.json")).json()) as { openapi: string };
    expect(document.openapi).toBe("3.1.0");
  });

  it("never shows a token, password or key in logs or refusals", async () => {
    const canary = "canary-0123456789";
    await gateway.request("/api/v1/tenants", { headers: { authorization: `Bearer ${canary}` } });
    const answers = [
      await gateway
        .as(undefined)
        .call("login", { body: { email: "a@b.example", password: canary } })
        .catch((error: Error) => error.message),
      await gateway.api
        .call("createModel", { body: { name: "c", api_base: "nonsense", api_key: canary } })
        .catch((error: Error) => error.message),
      await gateway.api
        .call("createUser", { body: { email: canary, password: canary } })
        .catch((error: Error) => error.message),
    ];
    expect(JSON.stringify([answers, gateway.log])).not.toContain("canary");
    expect(JSON.stringify(gateway.log)).not.toContain(ADMIN_TOKEN);
  });
});
