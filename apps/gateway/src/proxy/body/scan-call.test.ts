import { describe, expect, it } from "vitest";
import { type CallFields, scanCall } from "./scan-call";

function fieldsOf(body: string | Buffer, wantsSessionText = false): CallFields {
  const scan = scanCall(Buffer.from(body), { wantsSessionText });
  if (scan.kind === "invalid") throw new Error(scan.message);
  return scan.fields;
}

function textsOf(body: string, ranges: readonly number[]): string[] {
  const bytes = Buffer.from(body);
  const texts: string[] = [];
  for (let i = 0; i + 1 < ranges.length; i += 2) texts.push(bytes.toString("utf8", ranges[i], ranges[i + 1]));
  return texts;
}

describe("the scan of a call's body", () => {
  it("finds what it needs in any order and between any other members", () => {
    const body = '{"x":{"model":"inner","stream":true},"max_tokens":7,"stream":true , "model" :\t"m","y":["model"]}';
    const fields = fieldsOf(body);
    expect(fields).toMatchObject({ model: "m", stream: true, outputLimit: 7, streamOptionsAt: null });
    expect(body.slice(fields.modelAt.start, fields.modelAt.end)).toBe('"m"');
  });

  it("reads escaped names and values like any JSON parser", () => {
    expect(fieldsOf('{"mod\\u0065l":"a\\u00e9\\"b\\ud83d\\ude00"}').model).toBe('aé"b😀');
  });

  it("sees names that every object has as ordinary names", () => {
    expect(fieldsOf('{"__proto__":{"model":"x"},"constructor":1,"model":"__proto__"}').model).toBe("__proto__");
  });

  it.each([
    ["0", null],
    ["-5", null],
    ["1.5", 2],
    ['"64"', null],
    ["1e308", 1e308],
    ["null", null],
    ["999999999", 999999999],
  ])("takes max_tokens %s sanely", (given, limit) => {
    expect(fieldsOf(`{"model":"m","max_tokens":${given}}`).outputLimit).toBe(limit);
  });

  it("takes the session from the first field that names one, trimmed", () => {
    expect(
      fieldsOf('{"model":"m","session_id":"  s1 ","metadata":{"session_id":"s2"},"prompt_cache_key":"s3"}')
        .clientSession,
    ).toBe("s1");
    expect(
      fieldsOf('{"model":"m","session_id":"   ","metadata":{"session_id":"s2"},"prompt_cache_key":"s3"}').clientSession,
    ).toBe("s2");
    expect(fieldsOf('{"model":"m","prompt_cache_key":"s3","user":"u"}').clientSession).toBe("s3");
    expect(fieldsOf('{"model":"m","user":"u"}').clientSession).toBeNull();
    expect(fieldsOf('{"model":"m","session_id":5,"metadata":[],"prompt_cache_key":null}').clientSession).toBeNull();
  });

  it("finds a session that an agent put into the user id", () => {
    const agent = "user_ab12_account__session_0f8e-11";
    expect(fieldsOf(`{"model":"m","metadata":{"user_id":"${agent}"}}`).clientSession).toBe("0f8e-11");
    expect(fieldsOf('{"model":"m","metadata":{"user_id":"{\\"session_id\\":\\"s9\\"}"}}').clientSession).toBe("s9");
    expect(fieldsOf('{"model":"m","metadata":{"user_id":"plain"}}').clientSession).toBeNull();
  });

  it("notes the system text and the first user message for deriving a session", () => {
    const body = JSON.stringify({
      model: "m",
      system: [{ type: "text", text: "sys", cache_control: {} }],
      messages: [
        { role: "developer", content: "dev" },
        {
          content: [
            { type: "text", text: "first" },
            { type: "image_url", image_url: { url: "data:" } },
          ],
          role: "user",
        },
        { role: "assistant", content: "no" },
        { role: "user", content: "second" },
      ],
    });
    const fields = fieldsOf(body, true);
    expect(textsOf(body, fields.systemText)).toEqual(["sys", "dev"]);
    expect(textsOf(body, fields.firstUserText)).toEqual(["first"]);
  });
});

/** The documented rule, applied by hand to what each body holds. */
describe("the input tokens of a body", () => {
  const cases: [string, object, number][] = [
    ["a message: its text over four, rounded up, plus four", { messages: [{ role: "user", content: "hello" }] }, 2 + 4],
    ["two messages", { messages: [{ content: "abcd" }, { content: "abcde" }] }, 1 + 4 + 2 + 4],
    ["characters, not bytes", { messages: [{ content: "漢字漢字" }] }, 1 + 4],
    ["a character outside the basic plane as one", { messages: [{ content: "😀😀😀😀😀" }] }, 2 + 4],
    [
      "parts rounded up each",
      {
        messages: [
          {
            content: [
              { type: "text", text: "a" },
              { type: "text", text: "b" },
            ],
          },
        ],
      },
      2 + 4,
    ],
    [
      "an image as a fixed amount",
      { messages: [{ content: [{ type: "image_url", image_url: { url: "x".repeat(99_999) } }] }] },
      765 + 4,
    ],
    [
      "an Anthropic image too",
      { messages: [{ content: [{ type: "image", source: { type: "base64", data: "x".repeat(9999) } }] }] },
      765 + 4,
    ],
    ["a system prompt", { system: "12345678", messages: [] }, 2],
    ["instructions and input text", { instructions: "1234", input: "12345" }, 1 + 2],
    ["a list of inputs", { input: ["1234", "1"] }, 2],
    ["token ids by their number", { prompt: [1, 2, 3] }, 3],
    ["lists of token ids", { input: [[1, 2, 3], [4]] }, 4],
    [
      "tool results inside messages",
      { messages: [{ role: "user", content: [{ type: "tool_result", content: [{ type: "text", text: "12345" }] }] }] },
      2 + 4,
    ],
    [
      "tool calls by their arguments",
      {
        messages: [
          {
            role: "assistant",
            content: null,
            tool_calls: [{ id: "c", function: { name: "f", arguments: "12345678" } }],
          },
        ],
      },
      2 + 4,
    ],
    ["a tool definition by the characters it is written with", { messages: [], tools: [{ a: 1 }] }, 2],
    ["nothing for what is no text", { temperature: 1, user: "x".repeat(400), messages: [] }, 0],
  ];
  it.each(cases)("counts %s", (_name, body, tokens) => {
    expect(fieldsOf(JSON.stringify({ model: "m", ...body })).inputTokens).toBe(tokens);
  });

  it("is the same however characters are escaped", () => {
    expect(fieldsOf('{"model":"m","prompt":"\\ud83d\\ude00\\n\\u00e9x\\/"}').inputTokens).toBe(2);
    expect(fieldsOf('{"model":"m","prompt":"😀\\né𝒳/"}').inputTokens).toBe(2);
  });

  it("takes deep nesting and a megabyte of text without blocking for long", () => {
    const nested = `${'{"content":'.repeat(900)}"x"${"}".repeat(900)}`;
    const start = performance.now();
    fieldsOf(`{"model":"m","messages":[${nested}]}`);
    fieldsOf(JSON.stringify({ model: "m", messages: [{ content: "😀".repeat(250_000) }] }));
    expect(performance.now() - start).toBeLessThan(1000);
  });
});
