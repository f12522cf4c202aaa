import Anthropic from "@anthropic-ai/sdk";
import { expect, test } from "../support/fixtures";

test("the official Anthropic client streams a message from an OpenAI-speaking backend", async ({ stack }) => {
  const anthropic = new Anthropic({ baseURL: stack.urls.proxy, apiKey: await stack.makeKey("chatbot") });
  const events: string[] = [];
  const stream = anthropic.messages.stream({
    model: "sim-chat",
    max_tokens: 12,
    system: "Be brief.",
    messages: [{ role: "user", content: "How are slots shared?" }],
  });
  stream.on("streamEvent", (event) => events.push(event.type));
  const message = await stream.finalMessage();
  expect(message.content[0]?.type === "text" && message.content[0].text.split(" ")).toHaveLength(12);
  expect(message.stop_reason).toBe("max_tokens");
  expect(message.usage.output_tokens).toBe(12);
  expect([events[0], events.at(-1)]).toEqual(["message_start", "message_stop"]);
});

test("an error reaches the Anthropic client in its own words", async ({ stack }) => {
  const anthropic = new Anthropic({ baseURL: stack.urls.proxy, apiKey: "sk_wrong", maxRetries: 0 });
  const call = anthropic.messages.create({
    model: "sim-chat",
    max_tokens: 1,
    messages: [{ role: "user", content: "x" }],
  });
  await expect(call).rejects.toMatchObject({ status: 401, error: { error: { type: "authentication_error" } } });
});
