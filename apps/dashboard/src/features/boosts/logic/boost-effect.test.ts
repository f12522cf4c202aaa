import { describe, expect, it } from "vitest";
import { effectWords } from "./boost-effect";

const part = (tenant_id: string, slots_before: number, slots_after: number) => ({
  tenant_id,
  name: tenant_id,
  slots_before,
  slots_after,
});

describe("a boost's effect", () => {
  it("is what would be lost without it, over all pools, and who would get it back", () => {
    const pools = [
      { pool: "llama", tenants: [part("nightly", 6, 3), part("web", 4, 6), part("api", 2, 3)] },
      { pool: "qwen", tenants: [part("nightly", 2, 1), part("web", 3, 4)] },
    ];
    expect(effectWords(pools, "nightly")).toBe("4 slots more; paid by web 3 and api 1");
  });

  it("names two payers and counts the rest", () => {
    const tenants = [part("nightly", 6, 2), part("a", 1, 3), part("b", 1, 2), part("c", 1, 2)];
    expect(effectWords([{ pool: "llama", tenants }], "nightly")).toBe("4 slots more; paid by a 2, b 1 and 1 other");
  });

  it("is nothing while the tenant has no work", () => {
    expect(effectWords([], "nightly")).toBe("no slot at the moment");
  });
});
