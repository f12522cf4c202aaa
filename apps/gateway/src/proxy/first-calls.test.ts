/** Limits that must hold from the very first call, for every kind of call, and for whatever a caller claims. */
import { SystemClock } from "@obleth/clock";
import { MemoryBudgets, type TermLimit } from "@obleth/cluster";
import { describe, expect, it } from "vitest";
import { CachedKeys } from "../policy-cache/key-directory";
import type { TermBudget } from "../policy-cache/records";
import { RawClient, rawChat } from "./testing/raw-client";
import { key, type Rig, SECRET, tenant, until } from "./testing/rig";
import type { ScriptedAnswer } from "./testing/scripted-upstream";
import { completion, json } from "./testing/scripts";
import { backend, gateway } from "./testing/set-up";

const clock = new SystemClock();
const ok = json(completion("ok"));
/** What `completion` reports. */
const REPORTED = 18;

const lifetime = (tokens: number): TermBudget => ({ tokens, costUsd: null, period: "lifetime", startedAtMs: null });
const account = (tokens: number): TermLimit => ({
  subject: "key:k1",
  term: "lifetime",
  endsAtMs: null,
  tokens,
  costUsd: null,
});

describe("a hundred first calls at once", () => {
  it("read the key once and keep its cap and its budget", async () => {
    const limited = key({
      policy: { ...key().policy, maxInFlight: 1 },
      budget: lifetime(20),
      tenant: tenant({ tokensPerMinute: 1e9 }),
    });
    let reads = 0;
    const keyDirectory = new CachedKeys({
      clock,
      hash: (secret) => secret,
      source: {
        loadKeyByHash: async () => {
          reads++;
          await new Promise<void>((resolve) => setImmediate(resolve));
          return limited;
        },
      },
    });
    const budgets = new MemoryBudgets(clock);
    const { rig, upstream } = await gateway(ok, { keyDirectory, budgets });
    const answers = await Promise.all(Array.from({ length: 100 }, () => rig.chat({ max_tokens: 5 })));
    const served = answers.filter((answer) => answer.status === 200).length;
    const refused = await Promise.all(answers.filter((answer) => answer.status !== 200).map((answer) => answer.json()));
    expect(reads).toBe(1);
    expect(upstream.highWater).toBe(1);
    // Reserved before it is used, so the last one that fits may pass the cap by itself alone.
    expect(served).toBe(Math.ceil(20 / REPORTED));
    for (const body of refused) expect(body).toMatchObject({ error: { code: "term_budget_exhausted" } });
    await until(() => rig.records.length === 100);
    await expect(budgets.usage(account(20))).resolves.toMatchObject({
      usedTokens: served * REPORTED,
      reservedTokens: 0,
    });
  });
});

describe("calls that say little or nonsense about their length", () => {
  it("run beside each other in a budget that what they really use fits into, and give back what they reserved", async () => {
    const limited = key({ budget: lifetime(1e9), tenant: tenant({ tokensPerMinute: 100_000 }) });
    const budgets = new MemoryBudgets(clock);
    const { rig, upstream } = await gateway(ok, { keys: new Map([[SECRET, limited]]), budgets });
    const limits = [999_999_999, 0, -5, 1.5, "64", null, undefined, undefined, undefined, undefined, undefined];
    const bodies = [
      ...limits.map((max_tokens) => JSON.stringify({ model: "m", messages: [], max_tokens })),
      '{"model":"m","messages":[],"max_tokens":1e308}',
      '{"model":"m","messages":[],"max_tokens":1e999}',
    ];
    for (const body of bodies) {
      const answer = await rig.post("/v1/chat/completions", body);
      expect(answer.status, body).toBe(200);
      await answer.text();
    }
    await until(() => rig.records.length === bodies.length);
    expect(upstream.requests.map((request) => request.body.toString())).toEqual(bodies);
    for (const { estimatedTokens } of rig.records) {
      expect(estimatedTokens).toBeGreaterThanOrEqual(1);
      expect(estimatedTokens).toBeLessThanOrEqual(8200);
    }
    const used = await budgets.usage(account(1e9));
    expect(used).toEqual({
      usedTokens: bodies.length * REPORTED,
      usedCostUsd: 0,
      reservedTokens: 0,
      reservedCostUsd: 0,
    });
  });
});

describe("a call of any kind", () => {
  const calls: [string, object][] = [
    ["/v1/chat/completions", { messages: [] }],
    ["/v1/completions", { prompt: [[1, 2, 3]] }],
    ["/v1/responses", { input: [{ role: "user", content: [{ type: "input_text", text: "x" }] }] }],
    ["/v1/embeddings", { input: [1, 2, 3] }],
    ["/v1/rerank", { query: "q", documents: ["d"] }],
    ["/v1/moderations", { input: "x" }],
    ["/v1/images/generations", { prompt: "a cat" }],
    ["/v1/audio/speech", { input: "hello" }],
    ["/v1/messages", { max_tokens: 1, messages: [{ role: "user", content: "x" }] }],
    ["/v1/audio/transcriptions", new FormData()],
    ["/v1/images/edits", new FormData()],
  ];
  const send = (rig: Rig, path: string, body: object, name: string): Promise<Response> => {
    if (!(body instanceof FormData)) return rig.post(path, { ...body, model: name });
    const form = new FormData();
    form.append("file", new Blob(["sound"]), "sound.wav");
    form.append("model", name);
    return fetch(`${rig.url}${path}`, { method: "POST", headers: { "x-api-key": SECRET }, body: form });
  };
  it.each(calls)(
    "to %s is estimated, waits for its slot and counts for its caller, also for unregistered names",
    async (path, body) => {
      const other = await backend(ok);
      const limited = key({ policy: { ...key().policy, maxInFlight: 1 } });
      const { rig, upstream } = await gateway((answer: ScriptedAnswer) => answer.hang(), {
        keys: new Map([[SECRET, limited]]),
        settings: { upstreamBaseUrl: other.base },
        admissionTimeoutMs: 50,
      });
      const holder = await RawClient.send(rig.port, rawChat({ model: "m", messages: [] }));
      await until(() => upstream.open === 1);
      expect((await send(rig, path, body, "m")).status).toBe(503);
      expect(upstream.requests).toHaveLength(1);
      await (await send(rig, path, body, "somebody's")).text();
      holder.reset();
      await until(() => rig.records.length === 3);
      const [refused, unrouted] = rig.records;
      expect(refused).toMatchObject({ admission: "queued", outcome: "timed_out", model: "m" });
      expect(unrouted).toMatchObject({ admission: "fast", model: "(unrouted)" });
      expect(refused?.estimatedTokens).toBeGreaterThanOrEqual(1);
      expect(unrouted?.estimatedTokens).toBeGreaterThanOrEqual(1);
    },
  );
});

describe("names that callers make up", () => {
  it("share one pool and one name in the records, however many there are; those too long are refused", async () => {
    const other = await backend(ok);
    const { rig } = await gateway(ok, { settings: { upstreamBaseUrl: other.base } });
    for (let i = 0; i < 300; i++) await (await rig.chat({ model: `made up "${i}"\n\\`, session_id: `s${i}` })).text();
    expect((await rig.chat({ model: "x".repeat(10_000) })).status).toBe(400);
    await until(() => rig.records.length === 301);
    expect(rig.scheduler.sample().map(({ pool }) => pool)).toEqual(["(unrouted)"]);
    expect(new Set(rig.records.map((record) => record.model))).toEqual(new Set(["(unrouted)", null]));
  });
});
