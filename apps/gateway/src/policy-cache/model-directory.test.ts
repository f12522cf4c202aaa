import { beforeEach, describe, expect, it } from "vitest";
import { HeldModels, type ModelChange } from "./model-directory";
import type { ModelRecord } from "./records";
import { sampleModel } from "./testing/record-samples";

let rows: ModelRecord[];
let reads: number;
let gate: Promise<void> | undefined;
let changes: ModelChange[];
let models: HeldModels;

beforeEach(() => {
  rows = [sampleModel({ aliases: ["chat"] })];
  reads = 0;
  gate = undefined;
  changes = [];
  const loadModels = async () => {
    reads++;
    const answer = [...rows];
    await gate;
    return answer;
  };
  models = new HeldModels({ source: { loadModels }, onChange: (change) => changes.push(change) });
});

describe("the models held in memory", () => {
  it("finds a model by its name and by each alias", async () => {
    await models.reload();
    expect(models.find("sim-chat")).toBe(models.find("chat"));
    expect(models.find("constructor")).toBeUndefined();
  });

  it("tells of each model that appeared, changed or went, and of no other", async () => {
    rows.push(sampleModel({ id: "model-2", name: "other" }));
    await models.reload();
    changes.length = 0;
    rows = [sampleModel({ aliases: ["chat"] }), sampleModel({ id: "model-3", name: "third" })];
    await models.reload();
    expect(changes.map(({ before, after }) => [before?.name, after?.name])).toEqual([
      [undefined, "third"],
      ["other", undefined],
    ]);
    changes.length = 0;
    rows = [sampleModel({ aliases: ["chat"], maxInFlight: 9 }), rows[1] as ModelRecord];
    await models.reload();
    expect(changes.map((change) => change.after?.maxInFlight)).toEqual([9]);
  });

  it("reads once more when a change overtook the read, and shares reads under way", async () => {
    let open = () => {};
    gate = new Promise((resolve) => {
      open = resolve;
    });
    const first = models.reload();
    rows = [sampleModel({ maxInFlight: 12 })];
    const second = models.reload();
    const third = models.reload();
    open();
    await Promise.all([first, second, third]);
    expect(models.find("sim-chat")?.maxInFlight).toBe(12);
    expect(reads).toBe(2);
  });

  it("does between reading a list and using it what has to hold first", async () => {
    const seen: unknown[] = [];
    await models.reload(async () => void seen.push(reads, models.list().length));
    expect([...seen, models.list().length]).toEqual([1, 0, 1]);
    rows = [];
    await expect(models.reload(() => Promise.reject(new Error("not yet")))).rejects.toThrow("not yet");
    expect(models.list()).toHaveLength(1);
  });

  it("keeps the old list when it cannot be read, and can be asked again", async () => {
    await models.reload();
    gate = Promise.reject(new Error("connection refused"));
    await expect(models.reload()).rejects.toThrow("connection refused");
    expect(models.list()).toHaveLength(1);
    gate = undefined;
    rows = [];
    await models.reload();
    expect(models.list()).toHaveLength(0);
  });
});
