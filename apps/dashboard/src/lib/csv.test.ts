import { describe, expect, it } from "vitest";
import { csvOf } from "./csv";

describe("csvOf", () => {
  it("quotes texts, leaves numbers and empties bare", () => {
    expect(csvOf([["a", 'say "hi"', null, 5], ["x,y\nz"]])).toBe('"a","say ""hi""",,5\r\n"x,y\nz"\r\n');
  });

  it.each(["=HYPERLINK(1)", "+1", "-1", "@x", "\tx"])("makes %j text, not a formula", (cell) => {
    expect(csvOf([[cell]])).toBe(`"'${cell}"\r\n`);
  });
});
