/** What a request is booked at in the budgets, for each way it can end. */
import type { Spend, TokenBudgets } from "@obleth/cluster";
import { describe, expect, it } from "vitest";
import { RawClient, rawChat } from "./testing/raw-client";
import { key, SECRET, tenant, until } from "./testing/rig";
import type { Script } from "./testing/scripted-upstream";
import { breaksAfter, chatStream, chunk, completion, delta, event, json, STREAM_HEAD, stream } from "./testing/scripts";
import { type GatewayOptions, gateway } from "./testing/set-up";

/** One message of five characters and `max_tokens` 64, by the rule of characters. */
const ESTIMATE = 2 + 4 + 64;
const BODY = { model: "m", max_tokens: 64, messages: [{ role: "user", content: "hello" }] };

/** Budgets that allow everything and remember what was booked. */
class Books implements TokenBudgets {
  readonly reserved: number[] = [];
  readonly settled: number[] = [];
  check(): Promise<{ kind: "ok" }> {
    return Promise.resolve({ kind: "ok" });
  }
  reserve(spend: Spend): Promise<{ kind: "ok" }> {
    this.reserved.push(spend.estimatedTokens);
    return Promise.resolve({ kind: "ok" });
  }
  settle(_spend: Spend, { tokens }: { tokens: number }): Promise<void> {
    this.settled.push(tokens);
    return Promise.resolve();
  }
}

async function limited(script: Script, options: GatewayOptions = {}) {
  const budgets = new Books();
  const keys = new Map([[SECRET, key({ tenant: tenant({ tokensPerMinute: 1000 }) })]]);
  return { ...(await gateway(script, { budgets, keys, ...options })), budgets };
}

const unreported = completion("x", null);
const hangsAfter = (...events: string[]): Script => {
  return async (answer) => {
    if (events.length > 0) await answer.write(STREAM_HEAD + events.map((text) => chunk(text)).join(""));
    await answer.hang();
  };
};

describe("a request is booked at", () => {
  it.each<[string, Script, boolean, number]>([
    ["the figures of an answer", json(completion("x")), false, 18],
    ["the figures of a stream", chatStream(["a", "b"]), true, 18],
    ["its estimate when an answer names no figures", json(unreported), false, ESTIMATE],
    ["its estimate when a stream names none", stream([event(delta("a", "stop")), event("[DONE]")]), true, ESTIMATE],
    ["nothing when its backend refuses it", json({ error: { message: "too long" } }, { status: 400 }), false, 0],
    ["nothing when its backend is busy", json({ error: { message: "later" } }, { status: 429 }), false, 0],
    ["nothing when its backend fails", json({ error: { message: "x" } }, { status: 500 }), false, 0],
    ["nothing when its backend answers with something else", json("<html>"), false, 0],
    ["nothing when its backend resets the connection", (answer) => answer.reset(), false, 0],
    ["nothing when its stream breaks off without figures", breaksAfter(3, "reset"), true, 0],
  ])("%s", async (_name, script, isStream, tokens) => {
    const { rig, budgets } = await limited(script);
    await rig.chat({ ...BODY, stream: isStream }).then((answer) => answer.text().catch(() => "broken off"));
    await until(() => budgets.settled.length === 1);
    expect([budgets.reserved, budgets.settled]).toEqual([[ESTIMATE], [tokens]]);
  });

  it.each<[string, Script, string, number]>([
    ["nothing when its client leaves before an answer", hangsAfter(), "", 0],
    ["nothing when its client leaves while only comments have come", hangsAfter(": ping\n\n"), ": ping", 0],
    ["its estimate when its client leaves in the middle of one", hangsAfter(event(delta("a"))), "data:", ESTIMATE],
  ])("%s", async (_name, script, seen, tokens) => {
    const { rig, upstream, budgets } = await limited(script);
    const client = await RawClient.send(rig.port, rawChat({ ...BODY, stream: true }));
    await until(() => upstream.open === 1 && client.text.includes(seen));
    client.reset();
    await until(() => budgets.settled.length === 1);
    expect(budgets.settled).toEqual([tokens]);
  });

  it("nothing when it only counts tokens, whoever counts them", async () => {
    for (const protocol of ["anthropic", "openai"] as const) {
      const { rig, budgets } = await limited(json({ input_tokens: 3 }), { endpoint: { protocol } });
      expect((await rig.post("/v1/messages/count_tokens", BODY)).status).toBe(200);
      await until(() => rig.records.length === 1);
      expect([budgets.reserved, budgets.settled]).toEqual([[], []]);
    }
  });
});
