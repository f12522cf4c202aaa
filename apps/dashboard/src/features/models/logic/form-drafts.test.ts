import { describe, expect, it } from "vitest";
import { endpointBody, endpointDraft, endpointErrors } from "./endpoint-draft";
import { settingsDraft, settingsErrors, settingsPatch } from "./model-settings-draft";

/** What a tired person types for a number. */
const NO_NUMBERS = ["ten", "-1", "1.5", "1e3", "0x10", "Infinity", "NaN", "99999999999999999999", "5 s"];

describe("an endpoint as it is typed", () => {
  const endpoint = {
    name: "gpu-1",
    api_base: "http://gpu-1/v1",
    protocol: "openai",
    upstream_model: null,
    weight: 5,
    priority: 1,
    max_in_flight: 16,
  } as const;
  const draft = endpointDraft(endpoint);
  const changed = (change: Partial<typeof draft>) => {
    const next = { ...draft, ...change };
    return endpointBody(next, (field) => next[field] !== draft[field]);
  };

  it("sends what was touched and nothing else", () => {
    expect(changed({})).toEqual({});
    expect(changed({ cap: "1,024" })).toEqual({ max_in_flight: 1024 });
    expect(changed({ cap: "", priority: "0", upstream: " m " })).toEqual({
      max_in_flight: null,
      priority: 0,
      upstream_model: "m",
    });
  });

  it("never reads a cap that is no number as no cap", () => {
    for (const text of NO_NUMBERS) {
      expect(endpointErrors({ ...draft, cap: text }).cap, text).toContain("whole number");
      expect(() => changed({ cap: text }), text).toThrow("whole number");
      expect(endpointErrors({ ...draft, weight: text, priority: text }), text).toMatchObject({
        weight: expect.any(String),
        priority: expect.any(String),
      });
    }
    expect(Object.values(endpointErrors(draft))).toEqual([null, null, null]);
  });
});

describe("a model's settings as they are typed", () => {
  const draft = settingsDraft({
    name: "llama",
    aliases: ["big", "large"],
    admission_weight: 100,
    endpoint_selection: "failover",
    request_timeout_secs: 60,
    max_retries: 2,
    queue_without_servers: false,
  });

  it("send what was touched and nothing else", () => {
    expect(settingsPatch({})).toEqual({});
    expect(settingsPatch({ aliases: "big, , huge ", timeout: "" })).toEqual({
      aliases: ["big", "huge"],
      request_timeout_secs: null,
    });
    expect(settingsPatch({ timeout: "1,200", retries: "0" })).toEqual({ request_timeout_secs: 1200, max_retries: 0 });
  });

  it("never read a timeout that is no number as no timeout", () => {
    for (const text of NO_NUMBERS) {
      expect(settingsErrors({ ...draft, timeout: text }).timeout, text).toContain("whole number");
      expect(() => settingsPatch({ timeout: text }), text).toThrow("whole number");
      expect(settingsErrors({ ...draft, retries: text, admissionWeight: text }), text).toMatchObject({
        retries: expect.any(String),
        admissionWeight: expect.any(String),
      });
    }
    expect(Object.values(settingsErrors(draft)).every((error) => error === null)).toBe(true);
  });
});
