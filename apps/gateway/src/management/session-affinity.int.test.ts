/** A model's session affinity by every way it can be set, and what its bounds say. */
import type { SessionAffinity } from "@obleth/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "./testing/test-gateway";

const FULL = { enabled: true, hold_ms: 5000, max_held_percent: 50, max_bypass_secs: 120 } as const;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.api.call("createModel", { body: { name: "sticky" } });
});
afterAll(() => gateway.close());

const params = { id: "sticky" };
const present = async (): Promise<SessionAffinity> =>
  (await gateway.api.call("getModel", { params })).data.session_affinity;

describe("a model's session affinity", () => {
  it("is set by its own route, on create, on update and by an import, and {} follows the gateway again", async () => {
    const { api } = gateway;
    await api.call("setSessionAffinity", { params, body: FULL });
    expect(await present()).toEqual(FULL);
    await api.call("updateModel", { params, body: { session_affinity: { enabled: false } } });
    expect(await present()).toEqual({ enabled: false });
    const made = await api.call("createModel", { body: { name: "sticky-too", session_affinity: FULL } });
    expect(made.data.session_affinity).toEqual(FULL);
    const { data: file } = await api.call("exportConfig", {});
    const models = file.models.map((model) =>
      model.name === "sticky" ? { ...model, session_affinity: { hold_ms: 0 } } : model,
    );
    await api.call("importConfig", { body: { ...file, models } });
    expect(await present()).toEqual({ hold_ms: 0 });
    await api.call("setSessionAffinity", { params, body: {} });
    expect(await present()).toEqual({});
  });

  it.each([
    ["hold_ms", -1],
    ["hold_ms", 60_001],
    ["hold_ms", 1.5],
    ["max_held_percent", -1],
    ["max_held_percent", 101],
    ["max_bypass_secs", 0],
    ["max_bypass_secs", 3601],
    ["enabled", "yes"],
    ["max_jumps", 8],
    ["warm_secs", 5],
  ])("refuses %s of %s by every way, naming the field, and stays as it was", async (field, value) => {
    const { api } = gateway;
    await api.call("setSessionAffinity", { params, body: FULL });
    const body = { [field]: value } as SessionAffinity;
    await expect(api.call("setSessionAffinity", { params, body })).rejects.toMatchObject({
      status: 400,
      details: { field },
    });
    for (const call of [
      api.call("updateModel", { params, body: { session_affinity: body } }),
      api.call("createModel", { body: { name: "never", session_affinity: body } }),
    ]) {
      await expect(call).rejects.toMatchObject({ status: 400, details: { field: `session_affinity.${field}` } });
    }
    const { data: file } = await api.call("exportConfig", {});
    const at = file.models.findIndex((model) => model.name === "sticky");
    const models = file.models.map((model, i) => (i === at ? { ...model, session_affinity: body } : model));
    await expect(api.call("importConfig", { body: { ...file, models } })).rejects.toMatchObject({
      status: 400,
      details: { field: `models.${at}.session_affinity.${field}` },
    });
    expect(await present()).toEqual(FULL);
  });

  it.each([
    { hold_ms: 0, max_held_percent: 0, max_bypass_secs: 1 },
    { hold_ms: 60_000, max_held_percent: 100, max_bypass_secs: 3600 },
  ])("takes the ends of its ranges: %o", async (body) => {
    await gateway.api.call("setSessionAffinity", { params, body });
    expect(await present()).toEqual(body);
  });
});
