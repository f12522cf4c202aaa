import { describe, expect, it } from "vitest";
import { csvLine } from "./csv";

describe("a CSV line", () => {
  it("quotes text, doubles quotes inside and leaves null empty", () => {
    expect(csvLine(["a", 'say "hi"', null, 5, 0.25, "x,y\nz"])).toBe('"a","say ""hi""",,5,0.25,"x,y\nz"\r\n');
  });

  it.each(["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\nx"])(
    "makes text of %j, which a spreadsheet would run",
    (cell) => {
      expect(csvLine([cell])).toBe(`"'${cell}"\r\n`);
    },
  );
});
