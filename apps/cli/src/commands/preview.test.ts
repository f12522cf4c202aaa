import { describe, expect, it } from "vitest";
import { readDraft } from "./preview";

describe("a change to preview", () => {
  it("is split at the last =, since names may have one", () => {
    expect(readDraft("tenant_weight", "a=b=120")).toEqual({ kind: "tenant_weight", id: "a=b", value: 120 });
  });

  it("takes none for a cap and a name for a group", () => {
    expect(readDraft("tenant_cap", "nightly=none")).toMatchObject({ value: null });
    expect(readDraft("tenant_group", "nightly=50")).toMatchObject({ value: "50" });
  });

  it.each(["nightly", "=5", "nightly=", "nightly=lots", "nightly=-1", "nightly=1e9", "nightly=none"])(
    "is refused as %j",
    (text) => {
      expect(() => readDraft("tenant_weight", text)).toThrow(/--tenant-weight takes/);
    },
  );
});
