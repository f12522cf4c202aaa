/** That the tests of this project run on the clients of a year ago, and not on today's under another name. */
import Anthropic from "@anthropic-ai/sdk";
import OlderAnthropic from "anthropic-sdk-older";
import OpenAI from "openai";
import OlderOpenAI from "openai-older";
import { expect, it } from "vitest";
import { SECRET } from "./testing/rig";
import { completion, json } from "./testing/scripts";
import { gateway } from "./testing/set-up";

it("are the official clients of November 2025", async () => {
  expect(OpenAI).toBe(OlderOpenAI);
  expect(Anthropic).toBe(OlderAnthropic);
  const { rig, upstream } = await gateway(json(completion("hi")));
  const messages = [{ role: "user" as const, content: "x" }];
  await new OpenAI({ baseURL: `${rig.url}/v1`, apiKey: SECRET }).chat.completions.create({ model: "m", messages });
  await new Anthropic({ baseURL: rig.url, apiKey: SECRET }).messages.create({ model: "m", max_tokens: 1, messages });
  expect(upstream.requests.map(({ headers }) => headers.get("user-agent"))).toEqual([
    expect.stringContaining("OpenAI/JS 6.9.1"),
    expect.stringContaining("Anthropic/JS 0.71.0"),
  ]);
});
