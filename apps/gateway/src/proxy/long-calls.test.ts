/** Calls that take long by right: no limit of a library ends them before the configured one does. In virtual time. */
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { RawClient, rawChat } from "./testing/raw-client";
import type { Script } from "./testing/scripted-upstream";
import { chunk, completion, delta, event, json, LAST_CHUNK, STREAM_HEAD } from "./testing/scripts";
import { gateway } from "./testing/set-up";

const LIMIT_MS = 900_000;
const LONG_MS = 890_000;
const settings = { firstByteTimeoutMs: LIMIT_MS, idleTimeoutMs: LIMIT_MS };

// Timers of the gateway and of its HTTP client stand still until they are moved; sockets and turns go on. Once for the whole
// file: the HTTP client keeps one timer for all its calls.
beforeAll(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance", "Date"] });
});
afterAll(() => {
  vi.useRealTimers();
});

/** Waits by turns of the event loop, because timers do not move. */
async function turnsUntil(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** A door that a script waits at. */
function door(): { opened: Promise<void>; open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

it("an answer whose head comes after almost the whole limit is served", async () => {
  const { opened, open } = door();
  const late: Script = async (answer) => {
    await opened;
    await json(completion("late"))(answer);
  };
  const { rig, upstream } = await gateway(late, { settings });
  const client = await RawClient.send(rig.port, rawChat({ model: "m", messages: [] }));
  await turnsUntil(() => upstream.open === 1);
  await vi.advanceTimersByTimeAsync(LONG_MS);
  open();
  await turnsUntil(() => client.statuses.length > 0);
  expect(client.statuses).toEqual([200]);
  expect(rig.attempts).toEqual(["answered"]);
});

it("a stream that is silent for almost the whole limit goes on", async () => {
  const { opened, open } = door();
  const silent: Script = async (answer) => {
    await answer.write(STREAM_HEAD + chunk(event(delta("before"))).toString());
    await opened;
    await answer.write(
      chunk(event(delta("after", "stop"))).toString() + chunk(event("[DONE]")).toString() + LAST_CHUNK,
    );
  };
  const { rig } = await gateway(silent, { settings });
  const client = await RawClient.send(rig.port, rawChat({ model: "m", stream: true, messages: [] }));
  await turnsUntil(() => client.text.includes("before"));
  await vi.advanceTimersByTimeAsync(LONG_MS);
  open();
  await turnsUntil(() => client.isClosed || client.text.endsWith(LAST_CHUNK));
  expect(client.text).toContain("after");
});

it("a request that finds its endpoint at its own cap waits as long as for a first byte, then gives its slot back", async () => {
  const endless: Script = async (answer) => {
    await answer.write(STREAM_HEAD + chunk(event(delta("w"))).toString());
    await answer.hang();
  };
  const { rig, upstream } = await gateway(endless, {
    settings: { ...settings, idleTimeoutMs: 10 * LIMIT_MS },
    endpoint: { maxInFlight: 1 },
  });
  const running = await RawClient.send(rig.port, rawChat({ model: "m", stream: true, messages: [] }));
  await turnsUntil(() => running.text.includes("w"));
  const waiting = await RawClient.send(rig.port, rawChat({ model: "m", messages: [] }));
  await turnsUntil(() => rig.inFlight === 2);
  await vi.advanceTimersByTimeAsync(LONG_MS);
  expect([waiting.statuses, rig.inFlight]).toEqual([[], 2]);
  await vi.advanceTimersByTimeAsync(LIMIT_MS - LONG_MS);
  await turnsUntil(() => waiting.statuses.length > 0);
  expect([waiting.statuses, rig.inFlight, upstream.requests.length]).toEqual([[504], 1, 1]);
  running.reset();
  await turnsUntil(() => rig.inFlight === 0);
});

it("a retry that could only begin when the call's time is over is not waited for: its client gets what there is", async () => {
  const busy = json({ error: { message: "busy" } }, { status: 429, headers: ["retry-after: 8"] });
  const { rig, upstream } = await gateway(busy, { model: { maxRetries: 3, requestTimeoutSecs: 5 } });
  const client = await RawClient.send(rig.port, rawChat({ model: "m", messages: [] }));
  await turnsUntil(() => client.statuses.length > 0);
  expect([client.statuses, upstream.requests.length, rig.inFlight]).toEqual([[429], 1, 0]);
});

it("one that takes longer is a 504 and leaves its slot free", async () => {
  const { rig, upstream } = await gateway((answer) => answer.hang(), { settings, model: { maxInFlight: 1 } });
  const client = await RawClient.send(rig.port, rawChat({ model: "m", messages: [] }));
  await turnsUntil(() => upstream.open === 1);
  await vi.advanceTimersByTimeAsync(LIMIT_MS + 1000);
  await turnsUntil(() => client.statuses.length > 0 && upstream.open === 0);
  expect(client.statuses).toEqual([504]);
  expect(rig.inFlight).toBe(0);
});
