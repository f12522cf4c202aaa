import { line } from "@obleth/contract";
import { describe, expect, it } from "vitest";
import { nameInAddress } from "./name-in-address";

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
});
