/** Of a model that is served in both protocols, an OpenAI endpoint gets no Anthropic call that cannot be put into its form. */
import { expect, it } from "vitest";
import { endpoint, model } from "./testing/rig";
import { json } from "./testing/scripts";
import { backend, gatewayWith } from "./testing/set-up";

const CALL = { model: "m", messages: [{ role: "user", content: "hello" }] };

it.each(["failover", "load_balance", "session_hash"] as const)(
  "a count goes to a model's Anthropic endpoints only, by %s, and to nobody when those fail",
  async (endpointSelection) => {
    const [openai, anthropic] = [await backend(json({ id: "c" })), await backend(json({ input_tokens: 3 }))];
    const endpoints = [endpoint(openai.base), endpoint(anthropic.base, { protocol: "anthropic", priority: 1 })];
    const rig = await gatewayWith({ models: [model(endpoints, { endpointSelection })] });
    for (let i = 0; i < 12; i++) {
      const counted = await rig.post("/v1/messages/count_tokens", { ...CALL, metadata: { session_id: `s${i}` } });
      expect([counted.status, await counted.json()]).toEqual([200, { input_tokens: 3 }]);
    }
    anthropic.script = json({ error: { message: "busy" } }, { status: 503 });
    expect((await rig.post("/v1/messages/count_tokens", CALL)).status).toBe(503);
    expect(openai.requests).toEqual([]);
  },
);

it.each(["failover", "load_balance"] as const)(
  "nor, by %s, does a message whose contents have no counterpart there, also when the other endpoint fails",
  async (endpointSelection) => {
    const [openai, anthropic] = [await backend(json({ id: "c" })), await backend(json({ type: "message" }))];
    const endpoints = [endpoint(openai.base), endpoint(anthropic.base, { protocol: "anthropic", priority: 1 })];
    const rig = await gatewayWith({ models: [model(endpoints, { endpointSelection })] });
    const tools = [{ type: "web_search_20250305", name: "web_search" }];
    for (let i = 0; i < 6; i++) {
      const answer = await rig.post("/v1/messages", { ...CALL, max_tokens: 9, tools });
      expect([answer.status, await answer.json()]).toEqual([200, { type: "message" }]);
    }
    anthropic.script = json({ error: { message: "busy" } }, { status: 503 });
    expect((await rig.post("/v1/messages", { ...CALL, max_tokens: 9, tools })).status).toBe(503);
    expect(openai.requests).toEqual([]);
  },
);
