/** Every status a client can be refused with, in both dialects. */
import Anthropic from "@anthropic-ai/sdk";
import type { BudgetAnswer, TokenBudgets } from "@obleth/cluster";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { endpoint, key, model, NO_BUDGETS, type Rig, SECRET, tenant, until } from "./testing/rig";
import { completion, json } from "./testing/scripts";
import { gateway, gatewayWith } from "./testing/set-up";

const MESSAGES = [{ role: "user" as const, content: "hello" }];

interface Failure {
  readonly status: number | undefined;
  readonly code: unknown;
  readonly type: unknown;
  readonly className: string;
  readonly message: string;
}

/** What the official clients make of a refusal of the same call. */
async function bothFail(rig: Rig, secret = SECRET): Promise<{ openai: Failure; anthropic: Failure }> {
  const openai = new OpenAI({ baseURL: `${rig.url}/v1`, apiKey: secret, maxRetries: 0 });
  const anthropic = new Anthropic({ baseURL: rig.url, apiKey: secret, maxRetries: 0 });
  return {
    openai: await failure(openai.chat.completions.create({ model: "m", messages: MESSAGES })),
    anthropic: await failure(anthropic.messages.create({ model: "m", max_tokens: 9, messages: MESSAGES })),
  };
}

async function failure(call: Promise<unknown>): Promise<Failure> {
  const error: unknown = await call.then(
    () => new Error("it succeeded"),
    (reason: unknown) => reason,
  );
  if (error instanceof OpenAI.APIError) {
    return {
      status: error.status,
      code: error.code,
      type: error.type,
      className: error.constructor.name,
      message: error.message,
    };
  }
  if (error instanceof Anthropic.APIError) {
    const body = error.error as { error?: { type?: string; code?: string } } | undefined;
    return {
      status: error.status,
      code: body?.error?.code,
      type: body?.error?.type,
      className: error.constructor.name,
      message: error.message,
    };
  }
  throw error;
}

const ok = json(completion("ok"));
const answering = (answer: BudgetAnswer): TokenBudgets => ({ ...NO_BUDGETS, check: () => Promise.resolve(answer) });
const limited = tenant({ tokensPerMinute: 10 });

describe("401", () => {
  it("is what a missing, malformed or unknown key gets, without the key in the answer", async () => {
    const { rig } = await gateway(ok);
    const { openai, anthropic } = await bothFail(rig, "sk_wrong_key_canary");
    expect(openai).toMatchObject({ status: 401, code: "invalid_api_key", className: "AuthenticationError" });
    expect(anthropic).toMatchObject({ status: 401, type: "authentication_error", className: "AuthenticationError" });
    expect(openai.message + anthropic.message + JSON.stringify(rig.lines)).not.toContain("canary");
    for (const headers of [{}, { authorization: "Basic abc" }, { authorization: "Bearer " }, { "x-api-key": " " }]) {
      const answer = await fetch(`${rig.url}/v1/models`, { headers });
      expect(answer.status).toBe(401);
      expect(answer.headers.get("x-obleth-request-id")).toBeTruthy();
    }
  });

  it("leaves a record without a key", async () => {
    const { rig } = await gateway(ok);
    await bothFail(rig, "sk_no");
    await until(() => rig.records.length === 2);
    expect(rig.records[0]).toMatchObject({
      tenantId: null,
      keyId: null,
      admission: "rejected",
      outcome: "refused",
      statusCode: 401,
    });
  });

  it("is not given for names that every object has", async () => {
    const { rig } = await gateway(ok);
    for (const secret of ["__proto__", "constructor", "toString"]) {
      expect((await bothFail(rig, secret)).openai.status).toBe(401);
    }
  });
});

describe("403", () => {
  const past = Date.now() - 1000;
  const future = Date.now() + 60_000;
  const cases: [string, Parameters<typeof key>[0], string][] = [
    ["a disabled key", { disabled: true }, "key_disabled"],
    ["an expired key", { expiresAtMs: past }, "key_disabled"],
    ["a suspended tenant", { tenant: tenant({ status: "suspended" }) }, "tenant_inactive"],
    ["a tenant before its time", { tenant: tenant({ activeFromMs: future }) }, "tenant_inactive"],
    ["a tenant after its time", { tenant: tenant({ activeUntilMs: past }) }, "tenant_inactive"],
    [
      "a tenant outside its hours",
      { tenant: tenant({ weeklyWindows: [{ day: 0, startMin: 0, endMin: 0 }] }) },
      "outside_schedule",
    ],
    ["a model not on the list", { tenant: tenant({ allowedModels: new Set(["other"]) }) }, "model_not_allowed"],
  ];
  it.each(cases)("is what %s gets", async (_name, over, code) => {
    const { rig, upstream } = await gateway(ok, { keys: new Map([[SECRET, key(over)]]) });
    const { openai, anthropic } = await bothFail(rig);
    expect(openai).toMatchObject({ status: 403, code, className: "PermissionDeniedError" });
    expect(anthropic).toMatchObject({
      status: 403,
      code,
      type: "permission_error",
      className: "PermissionDeniedError",
    });
    expect(upstream.requests).toEqual([]);
  });

  it("is what a disabled model and a used-up term budget get", async () => {
    const off = await gateway(ok, { model: { enabled: false } });
    expect((await bothFail(off.rig)).openai).toMatchObject({ status: 403, code: "model_disabled" });
    const spent = await gateway(ok, {
      keys: new Map([[SECRET, key({ tenant: limited })]]),
      budgets: answering({ kind: "term-exhausted", subject: "tenant:t1" }),
    });
    const { openai, anthropic } = await bothFail(spent.rig);
    expect(openai).toMatchObject({ status: 403, code: "term_budget_exhausted" });
    expect(anthropic).toMatchObject({ status: 403, type: "permission_error" });
  });
});

describe("404", () => {
  it("is what unknown models and paths get, with names that every object has among them", async () => {
    const { rig } = await gateway(ok);
    for (const name of ["none", "__proto__", "constructor", "hasOwnProperty", "0", "-1"]) {
      const answer = await rig.chat({ model: name });
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ error: { code: "model_not_found", param: "model" } });
    }
    for (const path of ["/v1/unknown", "/", "/v2/chat/completions", "/v1"]) {
      const answer = await rig.post(path, {});
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ error: { code: "unknown_endpoint" } });
    }
    const anthropic = await rig.post("/v1/messages/nothing", {});
    expect(await anthropic.json()).toMatchObject({ type: "error", error: { type: "not_found_error" } });
  });

  it("is not given for registered models with such names", async () => {
    const { upstream } = await gateway(ok);
    const names = ["__proto__", "constructor", "模型 ü", "a/b"];
    const rig = await gatewayWith({
      models: names.map((name) => model([endpoint(upstream.base)], { name, id: name })),
    });
    for (const name of names) {
      const answer = await rig.chat({ model: name });
      expect(answer.status).toBe(200);
      await answer.text();
    }
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  it("does not stop unregistered names where they have a place to go", async () => {
    const { upstream } = await gateway(ok);
    const rig = await gatewayWith({ settings: { upstreamBaseUrl: `${upstream.base}/` } });
    const answer = await rig.chat({ model: "anything" });
    expect(answer.status).toBe(200);
    await answer.text();
    expect(JSON.parse(upstream.requests[0]?.body.toString() ?? "")).toMatchObject({ model: "anything" });
    await until(() => rig.records.length === 1);
    expect(rig.records[0]).toMatchObject({ model: "(unrouted)", outcome: "completed" });
  });
});

describe("429", () => {
  it("says in whole seconds when the minute's tokens are back, and both clients wait for it and succeed", async () => {
    let asked = 0;
    const budgets: TokenBudgets = {
      ...NO_BUDGETS,
      check: () =>
        Promise.resolve(++asked % 2 === 1 ? { kind: "minute-exhausted", retryAfterMs: 120 } : { kind: "ok" }),
    };
    const { rig } = await gateway(ok, { keys: new Map([[SECRET, key({ tenant: limited })]]), budgets });
    const refused = await rig.chat();
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await refused.json()).toMatchObject({ error: { code: "token_budget_exceeded" } });
    asked = 0;
    const openai = new OpenAI({ baseURL: `${rig.url}/v1`, apiKey: SECRET, maxRetries: 1 });
    const answer = await openai.chat.completions.create({ model: "m", messages: MESSAGES });
    expect(answer.choices[0]?.message.content).toBe("ok");
    expect(asked).toBe(2);
  });
});

describe("503", () => {
  it("is what callers get while budgets or keys cannot be checked and must be", async () => {
    const limits = { keys: new Map([[SECRET, key({ tenant: limited })]]), budgets: answering({ kind: "unavailable" }) };
    const closed = await gateway(ok, { ...limits, settings: { failOpen: false } });
    expect((await bothFail(closed.rig)).anthropic).toMatchObject({
      status: 503,
      code: "budget_unavailable",
      type: "overloaded_error",
    });
    const openRig = await gateway(ok, { ...limits, settings: { failOpen: true } });
    expect((await openRig.rig.chat()).status).toBe(200);
    const blind = await gateway(ok, { keyDirectory: { find: () => Promise.reject(new Error("no database")) } });
    expect((await bothFail(blind.rig)).openai).toMatchObject({ status: 503, code: "policy_unavailable" });
  });

  it("is what a model without a server gets at once", async () => {
    const rig = await gatewayWith({
      models: [model([]), model([endpoint("http://127.0.0.1:9/v1", { enabled: false })], { name: "off" })],
    });
    for (const name of ["m", "off"]) {
      const answer = await rig.chat({ model: name });
      expect(answer.status).toBe(503);
      expect(answer.headers.get("retry-after")).toBe("5");
      expect(await answer.json()).toMatchObject({ error: { code: "no_servers" } });
    }
  });
});

describe("a reservation that fails after the wait", () => {
  it("gives the slot back and tells the client, and nothing is settled", async () => {
    let settled = 0;
    const budgets: TokenBudgets = {
      check: () => Promise.resolve({ kind: "ok" }),
      reserve: () => Promise.resolve({ kind: "minute-exhausted", retryAfterMs: 3000 }),
      settle: () => {
        settled++;
        return Promise.resolve();
      },
    };
    const { rig, upstream } = await gateway(ok, { keys: new Map([[SECRET, key({ tenant: limited })]]), budgets });
    const answer = await rig.chat();
    expect(answer.status).toBe(429);
    expect(answer.headers.get("retry-after")).toBe("3");
    expect(rig.inFlight).toBe(0);
    expect(upstream.requests).toEqual([]);
    expect(settled).toBe(0);
  });
});

describe("a fault of ours", () => {
  it("is a 500 with fixed words and a request id, and takes nobody else down", async () => {
    const budgets: TokenBudgets = {
      ...NO_BUDGETS,
      check: () => {
        throw new Error("secret detail");
      },
    };
    const { rig } = await gateway(ok, { keys: new Map([[SECRET, key({ tenant: limited })]]), budgets });
    const answer = await rig.chat();
    expect(answer.status).toBe(500);
    const text = await answer.text();
    expect(text).not.toContain("secret detail");
    expect(JSON.parse(text)).toMatchObject({ error: { code: "internal_error" } });
    expect(rig.inFlight).toBe(0);
    expect(rig.lines.some((line) => line.event === "request.failed")).toBe(true);
  });
});

describe("a backend's own error", () => {
  it("reaches the openai client as it is, with its headers", async () => {
    const { rig } = await gateway(
      json({ error: { message: "too long", code: "context_length_exceeded" } }, { status: 400 }),
    );
    const { openai, anthropic } = await bothFail(rig);
    expect(openai).toMatchObject({ status: 400, code: "context_length_exceeded", className: "BadRequestError" });
    expect(anthropic).toMatchObject({ status: 400, type: "invalid_request_error", className: "BadRequestError" });
    expect(anthropic.message).toContain("too long");
  });

  it("keeps a Retry-After the backend gave", async () => {
    const { rig } = await gateway(
      json({ error: { message: "slow down" } }, { status: 429, headers: ["retry-after: 7"] }),
    );
    const answer = await rig.chat();
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "7"]);
  });
});
