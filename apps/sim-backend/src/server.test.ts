import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventually, type RunningBackend, startBackend } from "../test/running-backend";

let running: RunningBackend;
beforeAll(async () => {
  running = await startBackend();
});
afterAll(() => running.close());
beforeEach(() => running.backend.reset());

const messages = [{ role: "user" as const, content: "Tell me about queues. ".repeat(40) }];

describe("the official OpenAI client", () => {
  it("gets a chat answer with usage, the same for the same request", async () => {
    const ask = { model: "sim-chat", messages, max_tokens: 20 };
    const first = await running.openai.chat.completions.create(ask);
    const second = await running.openai.chat.completions.create(ask);
    expect(first.choices[0]?.message.content?.split(" ")).toHaveLength(20);
    expect(first.choices[0]?.finish_reason).toBe("length");
    expect(second.choices[0]?.message.content).toBe(first.choices[0]?.message.content);
    expect(first.usage?.completion_tokens).toBe(20);
    expect(first.usage?.prompt_tokens_details?.cached_tokens).toBe(0);
    expect(second.usage?.prompt_tokens_details?.cached_tokens).toBe(208);
  });

  it("streams the words of the whole answer, one event each, and the usage event only when asked", async () => {
    const whole = await running.openai.chat.completions.create({ model: "sim-chat", messages });
    const collect = async (include_usage: boolean) => {
      const stream = await running.openai.chat.completions.create({
        model: "sim-chat",
        messages,
        stream: true,
        stream_options: { include_usage },
      });
      const chunks = [];
      for await (const chunk of stream) chunks.push(chunk);
      return chunks;
    };
    const chunks = await collect(true);
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("")).toBe(
      whole.choices[0]?.message.content,
    );
    expect(chunks.at(-1)?.usage?.completion_tokens).toBe(whole.usage?.completion_tokens);
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe("stop");
    expect((await collect(false)).every((chunk) => chunk.usage === undefined)).toBe(true);
  });

  it("gets a tool call where it forces one, streamed or not", async () => {
    const ask = {
      model: "sim-chat",
      messages,
      tools: [
        {
          type: "function" as const,
          function: {
            name: "weather",
            parameters: { type: "object", properties: { city: { type: "string" }, days: { type: "integer" } } },
          },
        },
      ],
      tool_choice: "required" as const,
    };
    const whole = await running.openai.chat.completions.create(ask);
    const call = whole.choices[0]?.message.tool_calls?.[0];
    expect(call?.type === "function" && JSON.parse(call.function.arguments)).toEqual({ city: "example", days: 1 });
    const stream = running.openai.chat.completions.stream(ask);
    const final = await stream.finalChatCompletion();
    expect(final.choices[0]?.finish_reason).toBe("tool_calls");
    expect(final.choices[0]?.message.tool_calls?.[0]?.function.arguments).toBe('{"city":"example","days":1}');
  });

  it("gets text completions, streamed or not", async () => {
    const ask = { model: "sim-chat", prompt: "Once", max_tokens: 5 };
    const whole = await running.openai.completions.create(ask);
    let text = "";
    for await (const chunk of await running.openai.completions.create({ ...ask, stream: true })) {
      text += chunk.choices[0]?.text ?? "";
    }
    expect(text).toBe(whole.choices[0]?.text);
    expect(whole.usage?.completion_tokens).toBe(5);
  });

  it("gets embeddings, in floats and in the base64 it asks for by default", async () => {
    const base64 = await running.openai.embeddings.create({ model: "sim/embed", input: ["one", "two"] });
    const floats = await running.openai.embeddings.create({
      model: "sim/embed",
      input: ["one", "two"],
      encoding_format: "float",
    });
    expect(base64.data.map((one) => one.embedding)).toEqual(floats.data.map((one) => one.embedding));
    expect(Math.hypot(...(floats.data[0]?.embedding ?? []))).toBeCloseTo(1, 5);
    expect(floats.data[0]?.embedding).not.toEqual(floats.data[1]?.embedding);
  });

  it("gets the list of models and each by name", async () => {
    const names = [];
    for await (const model of running.openai.models.list()) names.push(model.id);
    expect(names).toEqual(["sim-chat", "sim/embed"]);
    expect((await running.openai.models.retrieve("sim/embed")).id).toBe("sim/embed");
    await expect(running.openai.models.retrieve("other")).rejects.toMatchObject({ status: 404 });
  });

  it("is told what is wrong with a bad request", async () => {
    const bad = running.openai.chat.completions.create({ model: "sim-chat", messages: [] });
    await expect(bad).rejects.toMatchObject({ status: 400 });
  });
});

describe("the official Anthropic client", () => {
  const ask = { model: "sim-chat", max_tokens: 30, system: "Be brief. ".repeat(30), messages };

  it("gets a message, cached prompt tokens counted apart", async () => {
    await running.anthropic.messages.create(ask);
    const message = await running.anthropic.messages.create(ask);
    expect(message.content[0]?.type === "text" && message.content[0].text.split(" ")).toHaveLength(30);
    expect(message.stop_reason).toBe("max_tokens");
    expect(message.usage.output_tokens).toBe(30);
    expect(message.usage.cache_read_input_tokens).toBeGreaterThan(200);
    const count = await running.anthropic.messages.countTokens({ model: ask.model, system: ask.system, messages });
    expect(message.usage.input_tokens + (message.usage.cache_read_input_tokens ?? 0)).toBe(count.input_tokens);
  });

  it("streams every event its own helper needs", async () => {
    const whole = await running.anthropic.messages.create(ask);
    const events: string[] = [];
    const stream = running.anthropic.messages.stream(ask);
    stream.on("streamEvent", (event) => events.push(event.type));
    const final = await stream.finalMessage();
    expect(final.content).toEqual(whole.content);
    expect(final.usage.output_tokens).toBe(30);
    expect([events[0], events.at(-1)]).toEqual(["message_start", "message_stop"]);
  });

  it("gets a tool call where it forces one", async () => {
    const stream = running.anthropic.messages.stream({
      ...ask,
      tools: [{ name: "weather", input_schema: { type: "object", properties: { city: { type: "string" } } } }],
      tool_choice: { type: "tool", name: "weather" },
    });
    const final = await stream.finalMessage();
    expect(final.stop_reason).toBe("tool_use");
    expect(final.content[0]).toMatchObject({ type: "tool_use", name: "weather", input: { city: "example" } });
  });

  it("is told what is wrong in its own words", async () => {
    const bad = running.anthropic.messages.create({ ...ask, messages: [] });
    await expect(bad).rejects.toMatchObject({ status: 400, error: { error: { type: "invalid_request_error" } } });
  });
});

describe("a backend with an API key", () => {
  it("answers 401 in the caller's protocol to anyone without it", async () => {
    const guarded = await startBackend({}, { apiKey: "right" });
    const ask = { model: "m", max_tokens: 3, messages: [{ role: "user" as const, content: "hi" }] };
    expect((await guarded.openai.chat.completions.create(ask)).usage?.completion_tokens).toBe(3);
    expect((await guarded.anthropic.messages.create(ask)).usage.output_tokens).toBe(3);
    const wrong = guarded.openai.withOptions({ apiKey: "wrong" });
    await expect(wrong.chat.completions.create(ask)).rejects.toMatchObject({ status: 401 });
    await guarded.close();
  });
});

describe("the census over HTTP", () => {
  it("sees exactly as many together as there are, and everyone leave", async () => {
    await running.control("POST", "faults", { kind: "hang", times: 5 });
    const abort = new AbortController();
    const hanging = Array.from({ length: 5 }, (_, i) =>
      running.openai.chat.completions
        .create({ model: i < 3 ? "a" : "b", messages, user: "tenant-1" }, { signal: abort.signal })
        .catch(() => undefined),
    );
    const { census } = running.backend;
    await eventually(() => census.runningOf("a") === 3 && census.runningOf("b") === 2);
    abort.abort();
    await Promise.all(hanging);
    await eventually(() => census.total.running === 0);
    const { json } = await running.control("GET", "state");
    expect(json).toMatchObject({
      total: { running: 0, high_water: 5 },
      models: { a: { running: 0, high_water: 3 }, b: { running: 0, high_water: 2 } },
      markers: { "tenant-1": { requests: 5, high_water: 5 } },
      aborted: 5,
      completed: 0,
    });
  });

  it("never counts two requests sent one after the other on one connection together", async () => {
    for (let i = 0; i < 200; i++) {
      await running.openai.chat.completions.create({ model: "sim-chat", messages, max_tokens: 400 });
    }
    expect(running.backend.census.total).toEqual({ running: 0, highWater: 1 });
    expect(running.backend.census.endings.completed).toBe(200);
  });

  it("sees a caller that leaves in mid-stream", async () => {
    const stream = await running.openai.chat.completions.create({
      model: "sim-chat",
      messages,
      stream: true,
      ...{ sim_fault: { kind: "drip", chunks: 10_000, gap_ms: 5 } },
    });
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
    await eventually(() => running.backend.census.total.running === 0);
    expect(running.backend.census.endings.aborted).toBe(1);
  });
});
