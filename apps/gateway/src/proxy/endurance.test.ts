/** What must not pile up or come out, however long it goes on. */
import type { Socket } from "node:net";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { expectNoLeak, mixed } from "./testing/leaks";
import { RawClient, rawChat } from "./testing/raw-client";
import { key, SECRET, until } from "./testing/rig";
import type { Script } from "./testing/scripted-upstream";
import { breaksAfter, json } from "./testing/scripts";
import { gateway } from "./testing/set-up";

describe("clients that give up and try again", () => {
  it("never have two copies of one call at the backend, and leave no more than one each in the queue", async () => {
    const { rig, upstream } = await gateway((answer) => answer.hang(), { model: { maxInFlight: 2 } });
    const clients = Array.from(
      { length: 10 },
      () => new OpenAI({ baseURL: `${rig.url}/v1`, apiKey: SECRET, timeout: 150, maxRetries: 2 }),
    );
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, rig.listener.activeCount);
    }, 5);
    const calls = clients.map((client) => client.chat.completions.create({ model: "m", messages: [] }));
    const results = await Promise.allSettled(calls);
    clearInterval(watch);
    expect(results.every((result) => result.status === "rejected")).toBe(true);
    await until(() => rig.listener.activeCount === 0 && rig.inFlight === 0 && upstream.open === 0);
    expect(upstream.highWater).toBeLessThanOrEqual(2);
    // A copy that was given up may still be on its way out while the next arrives.
    expect(most).toBeLessThanOrEqual(2 * clients.length);
    expect(rig.records.every((record) => record.outcome === "client_gone")).toBe(true);
    await expectNoLeak(rig, upstream, 2);
  });
});

describe("many requests on few connections", () => {
  it("leave no listener, timer or request behind", async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on("warning", onWarning);
    const { rig } = await gateway(mixed);
    const sockets = new Set<Socket>();
    rig.server.on("connection", (socket) => sockets.add(socket));
    const once = async (): Promise<void> => {
      await (await rig.chat()).text();
      await (await rig.chat({ model: "none" })).text();
    };
    for (let i = 0; i < 5; i++) await once();
    const count = (): number =>
      [...sockets].reduce(
        (sum, socket) => sum + socket.eventNames().reduce((n, name) => n + socket.listenerCount(name), 0),
        0,
      );
    const before = count();
    const openSockets = sockets.size;
    for (let i = 0; i < 200; i++) await once();
    expect(sockets.size).toBe(openSockets);
    expect(count()).toBe(before);
    expect(rig.listener.activeCount).toBe(0);
    process.off("warning", onWarning);
    expect(warnings.map(String)).toEqual([]);
  });
});

describe("secrets", () => {
  it("and prompts appear in no answer, record or log line, whatever fails", async () => {
    const canaries = { client: "sk_canaryclient", upstream: "sk-canary-upstream", prompt: "canary-prompt-text" };
    const failures: Script[] = [
      json({ error: { message: `bad key ${canaries.upstream}` } }, { status: 401 }),
      json({ error: { message: `denied for ${canaries.upstream}` } }, { status: 403 }),
      json({ error: { message: `you said ${canaries.prompt}` } }, { status: 502 }),
      (answer) => answer.reset(),
      (answer) => answer.write("garbage\r\n\r\n"),
      breaksAfter(2, "reset"),
    ];
    let seen = "";
    for (const script of failures) {
      const { rig } = await gateway(script, {
        keys: new Map([[canaries.client, key()]]),
        endpoint: { apiKey: canaries.upstream },
      });
      const bytes = rawChat({
        model: "m",
        stream: true,
        messages: [{ role: "user", content: canaries.prompt }],
      }).replace(SECRET, canaries.client);
      const client = await RawClient.send(rig.port, bytes);
      await until(() => rig.records.length === 1);
      client.reset();
      seen += JSON.stringify([rig.lines, rig.records]) + client.text.replace(`you said ${canaries.prompt}`, "");
    }
    for (const canary of Object.values(canaries)) expect(seen).not.toContain(canary);
  });
});
