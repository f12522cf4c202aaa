import { line } from "@obleth/contract";
import { describe, expect, it } from "vitest";
import { nameInAddress, nameInPath } from "./name-in-address";

describe("a name in an address", () => {
  it.each(["llama-70b", "org/model-7b", "模型 ü (prod)?&#%", "a".repeat(400)])("is read as it is: %s", (name) => {
    expect(nameInAddress(name)).toBe(name);
  });

  it.each(["", "\u0000", "a\nb", "\ud800", "a".repeat(401)])(
    "reads as none where the API would refuse it: %j",
    (text) => {
      expect(nameInAddress(text)).toBeNull();
      expect(line.safeParse(text).success).toBe(false);
    },
  );

  it.each(["llama-70b", "org/model-7b", "模型 ü (prod)?&#%"])("is read from a path as it is: %s", (name) => {
    expect(nameInPath(encodeURIComponent(name))).toBe(name);
  });

  it.each(["%E0%A4%A", "%", "%zz", "%00", "a%0Ab", "a".repeat(401)])("reads as none from a path of %s", (segment) => {
    expect(nameInPath(segment)).toBeNull();
  });
});
