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
  await stack.simulator.reset();
  const running = async () => {
    const { data } = await stack.management.call("getFairshareLive", {});
    return data.pools.find((one) => one.model === model)?.in_flight ?? 0;
  };
  const freedMs: number[] = [];
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
    while ((await running()) > 0) expect(performance.now() - killedAt).toBeLessThan(2000);
    freedMs.push(performance.now() - killedAt);
  }
  freedMs.sort((a, b) => a - b);
  // The middle one: a machine that is busy with other tests may hold up any single look.
  expect(freedMs[Math.floor(KILLS / 2)], freedMs.join(", ")).toBeLessThan(100);
  await expect.poll(async () => (await stack.simulator.state()).total.running).toBe(0);
  expect((await stack.simulator.state()).aborted).toBe(KILLS);
});
