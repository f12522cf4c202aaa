import OpenAI from "openai";
import { expect, test } from "../support/fixtures";

const KILLS = 7;
const messages = [{ role: "user" as const, content: "How are slots shared?" }];

test("the official OpenAI client streams through the gateway, usage included when asked", async ({ stack }) => {
  const openai = new OpenAI({ baseURL: `${stack.urls.proxy}/v1`, apiKey: await stack.makeKey("chatbot") });
  const [model] = (await openai.models.list()).data;
  const stream = await openai.chat.completions.create({
    model: model?.id ?? "",
    messages,
    max_tokens: 15,
    stream: true,
    stream_options: { include_usage: true },
  });
  let text = "";
  let usage: OpenAI.CompletionUsage | null | undefined;
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? "";
    usage = chunk.usage ?? usage;
  }
  expect(text.split(" ")).toHaveLength(15);
  expect(usage?.completion_tokens).toBe(15);
});

test("a client killed in mid-stream gives its slot back within 100 ms", async ({ stack }) => {
  const openai = new OpenAI({
    baseURL: `${stack.urls.proxy}/v1`,
    apiKey: await stack.makeKey("chatbot"),
    maxRetries: 0,
  });
  const model = (await openai.models.list()).data[0]?.id ?? "";
  await expect.poll(async () => (await stack.simulator.state()).total.running).toBe(0);
  await stack.simulator.reset();
  const running = async () => {
    const { data } = await stack.management.call("getFairshareLive", {});
    return data.pools.find((one) => one.model === model)?.in_flight ?? 0;
  };
  const heldMs: number[] = [];
  for (let round = 0; round < KILLS; round++) {
    // A stream that would go on for a minute and more.
    const kill = new AbortController();
    const stream = await openai.chat.completions.create(
      { model, messages, stream: true, ...{ sim_fault: { kind: "drip", chunks: 4000, gap_ms: 20 } } },
      { signal: kill.signal },
    );
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
    kill.abort();
    const killedAt = performance.now();
    // When the last look began that still saw it: the slot was taken then, however long a look takes on this machine.
    let seenMs = 0;
    for (let lookedMs = 0; (await running()) > 0; lookedMs = performance.now() - killedAt) {
      seenMs = lookedMs;
      expect(seenMs).toBeLessThan(2000);
    }
    heldMs.push(seenMs);
  }
  heldMs.sort((a, b) => a - b);
  // The middle one: a machine that is busy with other tests may hold up any single client that leaves.
  expect(heldMs[Math.floor(KILLS / 2)], heldMs.join(", ")).toBeLessThan(100);
  await expect.poll(async () => (await stack.simulator.state()).total.running).toBe(0);
  expect((await stack.simulator.state()).aborted).toBe(KILLS);
});
