/** A key that ends: to the millisecond, for requests that wait or run at that moment, and for those after it. */
import { describe, expect, it } from "vitest";
import { accessRefusal } from "./stages/check-access";
import { key, SECRET, tenant, until } from "./testing/rig";
import type { Script } from "./testing/scripted-upstream";
import { chunk, delta, event, LAST_CHUNK, STREAM_HEAD } from "./testing/scripts";
import { gateway } from "./testing/set-up";

/** A stream that stands still after its first word until it is let go on. */
function heldStream(): { readonly script: Script; goOn(): void } {
  let goOn: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const script: Script = async (answer) => {
    await answer.write(STREAM_HEAD);
    await answer.write(chunk(event(delta("first"))));
    await held;
    await answer.write(chunk(event(delta("last", "stop")) + event("[DONE]")));
    await answer.write(LAST_CHUNK);
  };
  return { script, goOn: () => goOn() };
}

describe("a key with an end", () => {
  const endMs = Date.parse("2026-11-30T12:00:00.000Z");

  it("may call until that very millisecond, in any zone of its tenant", () => {
    for (const timezone of ["UTC", "Asia/Kathmandu", "America/St_Johns"]) {
      const ending = key({ expiresAtMs: endMs, tenant: tenant({ timezone }) });
      expect(accessRefusal(ending, endMs - 1)).toBeNull();
      expect(accessRefusal(ending, endMs)).toMatchObject({ code: "key_disabled" });
    }
  });

  it("that comes while its request waits refuses it in its turn, before it reaches a backend", async () => {
    const { script, goOn } = heldStream();
    const ending = key({ expiresAtMs: Date.now() + 500 });
    const keys = new Map([
      [SECRET, key()],
      ["sk_ending", ending],
    ]);
    const { rig, upstream } = await gateway(script, { keys, model: { maxInFlight: 1 } });
    const running = await rig.chat({ stream: true });
    const waiting = rig.chat({}, { headers: { authorization: "Bearer sk_ending" } });
    await until(() => Date.now() > (ending.expiresAtMs ?? 0));
    goOn();
    await running.text();
    const refused = await waiting;
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ error: { code: "key_disabled" } });
    expect(upstream.requests).toHaveLength(1);
    expect(rig.inFlight).toBe(0);
  });
});

describe("a key that is deleted or disabled while its stream runs", () => {
  it.each([
    ["deleted", new Map(), 401],
    ["disabled", new Map([[SECRET, key({ disabled: true })]]), 403],
  ] as const)("(%s) lets the stream end as it would have, and refuses the next call", async (_what, keys, status) => {
    const { script, goOn } = heldStream();
    const { rig } = await gateway(script);
    const running = await rig.chat({ stream: true });
    rig.keys = keys;
    expect((await rig.chat()).status).toBe(status);
    goOn();
    const text = await running.text();
    expect(text).toContain("last");
    expect(text).toContain("[DONE]");
    await until(() => rig.records.length === 2);
    expect(rig.records.map(({ outcome }) => outcome)).toEqual(["refused", "completed"]);
    expect(rig.inFlight).toBe(0);
  });
});
