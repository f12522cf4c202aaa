import { describe, expect, it } from "vitest";
import { bannedUses } from "./banned";
import { functionLengths, tooLong, tooManyParameters } from "./lengths";

const file = (path: string, text: string) => ({ path, text, lines: text.split("\n").length });

describe("banned words", () => {
  const at = (path: string, line: string) => bannedUses([file(path, `ok\n${line}`)]);
  const todo = ["TO", "DO"].join("");
  const only = ["it", "only"].join(".");

  it.each([
    ["packages/db/src/a.ts", `// ${todo} later`],
    ["packages/db/src/a.test.ts", `${only}("x", () => {})`],
    ["apps/gateway/src/a.ts", "const a = process.env.HOME;"],
    ["apps/gateway/src/a.ts", "takeSeat(); const seat = 1;"],
    ["docs/a.md", "see /home/me/file"],
    ["docs/a.md", "see ../shared/spec"],
    ["e2e/tests/a.spec.ts", "await page.waitForTimeout(500)"],
  ])("are found in %s: %s", (path, line) => {
    expect(at(path, line)[0]).toContain(`${path}:2`);
  });

  it.each([
    ["packages/config/src/env.ts", "process.env"],
    ["scripts/a.mjs", "process.env.CI"],
    ["docs/a.md", "the seats of a theatre"],
    ["apps/gateway/src/a.ts", "released the release"],
  ])("are not seen in %s: %s", (path, line) => {
    expect(at(path, line)).toEqual([]);
  });

  it("include file names that say nothing", () => {
    expect(bannedUses([file("apps/gateway/src/utils.ts", "")])).toHaveLength(1);
    expect(bannedUses([file("apps/gateway/src/helpers/a.ts", "")])).toHaveLength(1);
  });
});

describe("lengths", () => {
  const body = (lines: number) => "  x();\n".repeat(lines);

  it("finds functions, methods and arrow functions that are too long, by name", () => {
    const text = `function long() {\n${body(70)}}\nconst alsoLong = () => {\n${body(70)}};\nclass A { m() {\n${body(10)}} }\n`;
    const lengths = functionLengths(file("a.ts", text));
    expect(lengths.map((one) => [one.name, one.lines])).toEqual([
      ["long", 72],
      ["alsoLong", 72],
      ["m", 12],
    ]);
    expect(tooLong([], lengths)).toHaveLength(2);
  });

  it("gives test files more room than others", () => {
    const text = "\n".repeat(500);
    expect(tooLong([file("packages/db/src/a.ts", text)], [])).toHaveLength(1);
    expect(tooLong([file("packages/db/src/a.test.ts", text)], [])).toEqual([]);
  });
});

it("finds functions, methods and constructors with more than three parameters, and leaves callbacks alone", () => {
  const text =
    "function four(a, b, c, d) {}\nfunction three(a, b, c) {}\nx.on((a, b, c, d) => {});\n" +
    "class A { constructor(a, b, c, d) {} m(a, b, c, d, e) {} }\n";
  expect(tooManyParameters(functionLengths(file("a.ts", text)))).toEqual([
    "a.ts: four takes 4 parameters; put some into one object",
    "a.ts: the constructor of A takes 4 parameters; put some into one object",
    "a.ts: m takes 5 parameters; put some into one object",
  ]);
});
