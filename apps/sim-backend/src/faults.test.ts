import { describe, expect, it } from "vitest";
import { FaultScript, readFault } from "./faults";

describe("FaultScript", () => {
  it("hits as many requests as asked, of the model named", () => {
    const script = new FaultScript();
    expect(script.add({ kind: "hang", model: "a", times: 2 }).ok).toBe(true);
    expect(script.take("b")).toBeUndefined();
    expect([script.take("a"), script.take("a"), script.take("a")].map((fault) => fault?.kind)).toEqual([
      "hang",
      "hang",
      undefined,
    ]);
  });

  it("plays faults in the order they were added", () => {
    const script = new FaultScript();
    script.add({ kind: "status", status: 500 });
    script.add({ kind: "reset", after_chunks: 3 });
    expect(script.take("m")?.kind).toBe("status");
    expect(script.take("m")).toEqual({ kind: "reset", afterChunks: 3 });
  });

  it("goes on for ever with times 0, until cleared", () => {
    const script = new FaultScript();
    script.add({ kind: "garbage", times: 0 });
    for (let i = 0; i < 50; i++) expect(script.take("m")?.kind).toBe("garbage");
    script.clear();
    expect(script.take("m")).toBeUndefined();
  });

  it.each([
    [{ kind: "explode" }],
    [{ kind: "status", status: 99 }],
    [{ kind: "hang", times: -1 }],
    [{ kind: "hang", model: 3 }],
    ["hang"],
  ])("refuses %j", (fault) => {
    expect(new FaultScript().add(fault).ok).toBe(false);
  });
});

describe("readFault", () => {
  it("keeps a scripted status's headers and body", () => {
    const fault = readFault({ kind: "status", status: 429, headers: { "retry-after": 2 }, body: "slow down" });
    expect(fault).toEqual({
      ok: true,
      value: { kind: "status", status: 429, headers: { "retry-after": "2" }, body: "slow down" },
    });
  });
});
