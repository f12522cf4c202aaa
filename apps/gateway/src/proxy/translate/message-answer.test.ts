import { expect, it } from "vitest";
import { messageOf } from "./message-answer";

function inputOf(args: string): unknown {
  const call = { id: "t1", type: "function", function: { name: "f", arguments: args } };
  const choice = { index: 0, message: { role: "assistant", tool_calls: [call] }, finish_reason: "tool_calls" };
  const text = JSON.stringify(messageOf({ choices: [choice] }, { requestId: "r1", model: "m" }));
  return (JSON.parse(text) as { content: { input: unknown }[] }).content[0]?.input;
}

it("keeps a tool's arguments as they were written when they are no JSON that can be written again", () => {
  expect(inputOf('{"a":[1]}')).toEqual({ a: [1] });
  expect(inputOf("")).toEqual({});
  expect(inputOf("{bad")).toEqual({ arguments: "{bad" });
  const deep = `{"a":${"[".repeat(9000)}${"]".repeat(9000)}}`;
  expect(inputOf(deep)).toEqual({ arguments: deep });
  const long = `{"a":"${"x".repeat(9000)}"}`;
  expect(inputOf(long)).toEqual(JSON.parse(long));
});
