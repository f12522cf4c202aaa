import { readSettings } from "@obleth/config";
import { clusterSettings as contract } from "@obleth/contract";
import { describe, expect, it } from "vitest";
import { clusterSettings } from "./cluster-settings";

const { settings } = readSettings({ OBLETH_ADMISSION_TIMEOUT_SECS: "30", OBLETH_ADMIN_TOKEN: "canary-canary-canary" });
const of = (name: string, others: Parameters<typeof clusterSettings>[2] = []) =>
  clusterSettings(settings, "gateway-1", others).settings.find((one) => one.name === name);

describe("the settings of the fleet", () => {
  it("fulfil the contract and hide secrets", () => {
    const answer = clusterSettings(settings, "gateway-1", []);
    expect(contract.safeParse(answer).error).toBeUndefined();
    expect(JSON.stringify(answer)).not.toContain("canary");
  });

  it("say where a value comes from, its default and its place in the chart", () => {
    expect(of("OBLETH_ADMISSION_TIMEOUT_SECS")).toMatchObject({
      default: "60",
      values: [{ instance: "gateway-1", value: "30", source: "environment" }],
      agreed: true,
    });
    expect(of("OBLETH_FAIRSHARE_SHARED_SLOTS")).toMatchObject({ helm: "obleth.fairshareSharedSlots", default: "true" });
  });

  it("show what another gateway has, and that they disagree", () => {
    const same = { instance: "gateway-2", settings: '{"OBLETH_ADMISSION_TIMEOUT_SECS":"30"}' };
    const other = { instance: "gateway-3", settings: "{}" };
    expect(of("OBLETH_ADMISSION_TIMEOUT_SECS", [same])?.agreed).toBe(true);
    expect(of("OBLETH_ADMISSION_TIMEOUT_SECS", [same, other])).toMatchObject({
      agreed: false,
      values: [{ value: "30" }, { value: "30" }, { instance: "gateway-3", value: "60", source: "default" }],
    });
  });

  it("leave out a gateway whose settings cannot be read", () => {
    for (const published of [undefined, "nonsense", "null", 5]) {
      expect(of("OBLETH_SEED", [{ instance: "gateway-2", settings: published }])?.values).toHaveLength(1);
    }
  });
});
