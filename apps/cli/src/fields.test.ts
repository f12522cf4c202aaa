import { modelCreate, tenantCreate, tenantPatch, tenantQuery } from "@obleth/contract";
import { describe, expect, it } from "vitest";
import { CommandError, EXIT } from "./failure";
import { readAssignments, readDuration } from "./fields";

const read = (...texts: string[]) => readAssignments(texts, { fields: tenantPatch.shape, option: "--set" });

describe("name=value", () => {
  it("is a number where the field is one and text where it is text, whatever it looks like", () => {
    expect(read("weight=50", "name=50", "description=null", "group=true")).toEqual({
      weight: 50,
      name: "50",
      description: "null",
      group: "true",
    });
  });

  it("takes null, lists and objects as JSON", () => {
    expect(read("max_in_flight=null", 'allowed_models=["a","b"]')).toEqual({
      max_in_flight: null,
      allowed_models: ["a", "b"],
    });
    const windows = 'weekly_windows=[{"day":1,"start_min":0,"end_min":60}]';
    expect(read(windows)).toEqual({ weekly_windows: [{ day: 1, start_min: 0, end_min: 60 }] });
  });

  it("splits at the first =, and a later value wins", () => {
    expect(read("description=a=b")).toEqual({ description: "a=b" });
    expect(read("weight=1", "weight=2")).toEqual({ weight: 2 });
  });

  it.each([
    ["weight=0", "weight must be a whole number from 1 to 1,000,000 (given 0)."],
    ["weight=1.5", "weight must be a whole number from 1 to 1,000,000 (given 1.5)."],
    ["weight=many", "weight must be a whole number from 1 to 1,000,000 (given many)."],
    ["max_in_flight=-1", "max_in_flight must be a whole number from 1 to 1,000,000, or null (given -1)."],
    ["status=on", "status must be one of active, suspended (given on)."],
    [
      'weekly_windows=[{"day":9,"start_min":0,"end_min":60}]',
      "weekly_windows.0.day must be a whole number from 0 to 6",
    ],
    ["active_until=2027-01-01", "active_until must be a time with a zone"],
  ])("refuses %s as wrong usage, in the words of the API", (text, message) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ exitCode: EXIT.usage }) as CommandError);
    expect(() => read(text)).toThrow(message);
  });

  it.each(["wieght=5", "__proto__=5", "constructor=5", "toString=5"])("refuses the unknown field of %s", (text) => {
    expect(() => read(text)).toThrow(/There is no field/);
  });

  it.each(["weight", "=5", ""])("refuses %j, which is no assignment", (text) => {
    expect(() => read(text)).toThrow(/takes name=value/);
  });

  it("knows every field of what can be made, the shorthand of a model included", () => {
    const shorthand = { fields: modelCreate.shape, option: "--set" };
    const base = "http://127.0.0.1:9400/v1";
    expect(readAssignments([`api_base=${base}`, "max_retries=2"], shorthand)).toEqual({
      api_base: base,
      max_retries: 2,
    });
    expect(readAssignments(["name=x"], { fields: tenantCreate.shape, option: "--set" })).toEqual({ name: "x" });
    expect(readAssignments(["status=active"], { fields: tenantQuery.shape, option: "--filter" })).toEqual({
      status: "active",
    });
  });
});

describe("a time", () => {
  it.each([
    ["90s", 90_000],
    ["30m", 1_800_000],
    ["1.5h", 5_400_000],
    ["1d", 86_400_000],
  ])("of %s is %d ms", (text, ms) => {
    expect(readDuration(text, "--for")).toBe(ms);
  });

  it.each(["", "5", "h", "-1h", "0s", "1w", "1h30m"])("is refused as %j", (text) => {
    expect(() => readDuration(text, "--for")).toThrow(CommandError);
  });
});
