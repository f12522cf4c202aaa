import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventually, type RunningBackend, startBackend } from "../test/running-backend";

let running: RunningBackend;
beforeAll(async () => {
  running = await startBackend();
});
afterAll(() => running.close());
beforeEach(() => running.backend.reset());

/** Sends a chat request that carries its own fault and returns the raw response. */
function send(fault: Record<string, unknown>, isStream: boolean, signal?: AbortSignal): Promise<Response> {
  return fetch(`${running.url}/v1/chat/completions`, {
    method: "POST",
    signal: signal ?? null,
    body: JSON.stringify({
      model: "m",
      messages: [{ role: "user", content: "hi" }],
      max_tokens: 40,
      stream: isStream,
      sim_fault: fault,
    }),
  });
}

const contentEvents = (text: string) => text.split("\n\n").filter((event) => /"content":"[^"]/.test(event)).length;

describe("scripted faults", () => {
  it("answer with the status, headers and body asked for", async () => {
    const response = await send({ kind: "status", status: 503, headers: { "retry-after": "7" }, body: "busy" }, true);
    expect([response.status, response.headers.get("retry-after"), await response.text()]).toEqual([503, "7", "busy"]);
    await eventually(() => running.backend.census.endings.failed === 1);
  });

  it.each([true, false])("reset before the first byte (stream: %s)", async (isStream) => {
    await expect(send({ kind: "reset" }, isStream)).rejects.toThrow();
    await eventually(() => running.backend.census.total.running === 0);
  });

  it("reset after so many events", async () => {
    const response = await send({ kind: "reset", after_chunks: 3 }, true);
    let text = "";
    const read = async () => {
      for await (const part of response.body as AsyncIterable<Uint8Array>) text += Buffer.from(part).toString();
    };
    await expect(read()).rejects.toThrow();
    expect(contentEvents(text)).toBeLessThanOrEqual(3);
  });

  it("close tidily after so many events without the end marker", async () => {
    const text = await (await send({ kind: "close", after_chunks: 4 }, true)).text();
    expect(contentEvents(text)).toBe(4);
    expect(text).not.toContain("[DONE]");
  });

  it("hang for as long as the caller stays", async () => {
    const abort = new AbortController();
    const call = send({ kind: "hang" }, true, abort.signal);
    await eventually(() => running.backend.census.runningOf("m") === 1);
    abort.abort();
    await expect(call).rejects.toThrow();
    await eventually(() => running.backend.census.total.running === 0);
  });

  it("stall after so many events for as long as the caller stays", async () => {
    const abort = new AbortController();
    const response = await send({ kind: "stall", after_chunks: 2 }, true, abort.signal);
    await eventually(() => running.backend.census.visits.at(-1)?.outputTokens === 2);
    expect(running.backend.census.total.running).toBe(1);
    abort.abort();
    await expect(response.text()).rejects.toThrow();
    await eventually(() => running.backend.census.total.running === 0);
  });

  it("drip exactly so many events", async () => {
    const text = await (await send({ kind: "drip", chunks: 6, gap_ms: 1 }, true)).text();
    expect(contentEvents(text)).toBe(6);
    expect(text).toContain("[DONE]");
  });

  it.each([true, false])("send what no client can parse (stream: %s)", async (isStream) => {
    const response = await send({ kind: "garbage" }, isStream);
    expect(response.status).toBe(200);
    expect(await response.text()).not.toContain("chat.completion");
  });

  it("hit only the model they were scripted for, and only as often", async () => {
    await running.control("POST", "faults", { kind: "status", status: 500, model: "bad" });
    const ask = (model: string) =>
      running.openai.chat.completions
        .create({ model, messages: [{ role: "user", content: "hi" }] })
        .then(() => 200)
        .catch((error: { status: number }) => error.status);
    expect([await ask("good"), await ask("bad"), await ask("bad")]).toEqual([200, 500, 200]);
  });
});

describe("the control API", () => {
  it("changes settings while running and refuses bad ones", async () => {
    const good = await running.control("POST", "settings", { decode_tokens_per_sec: 99 });
    expect(good.json.settings).toMatchObject({ decode_tokens_per_sec: 99 });
    const bad = await running.control("POST", "settings", { decode_tokens_per_sec: -1 });
    expect(bad.status).toBe(400);
    expect(running.backend.settings.decodeTokensPerSec).toBe(99);
  });

  it("shows each request it served", async () => {
    await send({ kind: "drip", chunks: 2, gap_ms: 0 }, false).then((response) => response.text());
    await eventually(() => running.backend.census.total.running === 0);
    const { json } = await running.control("GET", "visits");
    expect(json.visits).toMatchObject([{ model: "m", output_tokens: 2, ending: "completed" }]);
  });

  it("answers no browser page", async () => {
    const response = await fetch(`${running.url}/control/state`, { headers: { origin: "http://evil.example" } });
    expect(response.status).toBe(403);
  });
});

describe("service time over HTTP", () => {
  it("slows every request down once more run than the knee", async () => {
    // One token in 4 ms alone; 8 together past a knee of 2 take 16 ms each. Measured by the backend's own records.
    const slow = await startBackend({ speed: 1, overheadMs: 0, decodeTokensPerSec: 250, knee: 2 });
    const ask = { model: "m", max_tokens: 20, messages: [{ role: "user" as const, content: "hi" }] };
    await slow.openai.chat.completions.create({ ...ask, ...{ ignore_eos: true } });
    const together = () => slow.openai.chat.completions.create({ ...ask, ...{ ignore_eos: true } });
    await Promise.all(Array.from({ length: 8 }, together));
    const [alone, ...crowd] = slow.backend.census.visits.map((visit) => (visit.endedMs ?? 0) - visit.startedMs);
    expect(alone).toBeGreaterThanOrEqual(79);
    expect(Math.min(...crowd)).toBeGreaterThan(200);
    await slow.close();
  });
});
