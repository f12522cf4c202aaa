/**
 * Bodies that cost the most to read: none holds up everybody else for long. Judged by the processor time of single turns of
 * the event loop, beside that of reading and writing as many values once, so that busy and slow machines judge alike.
 */
import { describe, expect, it } from "vitest";
import { completion, json } from "./testing/scripts";
import { gateway } from "./testing/set-up";

const MEGABYTE = 1024 * 1024;

/** As many as fit into `bytes`, or `most`. */
function list(element: string, { bytes = 30 * MEGABYTE, most = 300_000 } = {}): string {
  return `[${Array(Math.min(most, Math.ceil(bytes / (element.length + 1))))
    .fill(element)
    .join(",")}]`;
}

const TOOL = '{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}}}}';
const USER = '{"role":"user","content":"x"}';
const said = (text: string): string => `[{"role":"user","content":"${text}"}]`;

const bodies: [string, string, string][] = [
  ["30 MB of text", "/v1/chat/completions", `"messages":${said("hello ".repeat(5 * MEGABYTE))}`],
  ["30 MB of escapes", "/v1/chat/completions", `"messages":${said("\\n\\u00e9".repeat(3.75 * MEGABYTE))}`],
  ["5 MB of emoji", "/v1/chat/completions", `"messages":${said("👩‍👩‍👧".repeat(300_000))}`],
  ["300,000 messages", "/v1/chat/completions", `"messages":${list(USER)}`],
  ["a batch of 999,000 token ids", "/v1/embeddings", `"input":${list("12345", { most: 999_000 })}`],
  ["100,000 tools", "/v1/chat/completions", `"messages":[],"tools":${list(TOOL, { most: 100_000 })}`],
  ["lists 900 deep", "/v1/chat/completions", `"x":${list("[".repeat(900) + "]".repeat(900), { most: 1100 })}`],
  ["30 MB of text, translated", "/v1/messages", `"max_tokens":1,"messages":${said("hello ".repeat(5 * MEGABYTE))}`],
  ["300,000 messages, translated", "/v1/messages", `"max_tokens":1,"messages":${list(USER)}`],
];

/** Processor time of this process, ms. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The most that a single turn takes until the promise settles, ms. */
async function dearestTurnMs(work: Promise<unknown>): Promise<number> {
  let isOver = false;
  void work.finally(() => {
    isOver = true;
  });
  let dearest = 0;
  for (let before = cpuMs(); !isOver; ) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    const now = cpuMs();
    dearest = Math.max(dearest, now - before);
    before = now;
  }
  return dearest;
}

/** What it takes to read and write a million values once, ms. */
function yardstickMs(): number {
  const text = list('{"role":"user","content":"hello"}', { most: 330_000 });
  const times = [0, 1, 2].map(() => {
    const before = cpuMs();
    JSON.stringify(JSON.parse(text));
    return cpuMs() - before;
  });
  return Math.max(...times);
}

describe("a body of", () => {
  it.each(bodies)(
    "%s takes no turn that is much dearer than reading and writing a large one once",
    async (_name, path, members) => {
      const { rig } = await gateway(json(completion("ok")), { settings: { maxBodyBytes: 64 * MEGABYTE } });
      const body = `{"model":"m",${members}}`;
      const yardstick = yardstickMs();
      const answered = rig.post(path, body);
      const dearest = await dearestTurnMs(answered);
      expect((await answered).status).toBe(200);
      expect(dearest).toBeLessThan(4 * yardstick);
    },
  );

  it("more than a million values is a 400 that says so, in either dialect", async () => {
    const { rig, upstream } = await gateway(json(completion("ok")), { settings: { maxBodyBytes: 64 * MEGABYTE } });
    for (const path of ["/v1/chat/completions", "/v1/messages"]) {
      const answer = await rig.post(path, `{"model":"m","max_tokens":1,"x":${list("1", { most: 1_000_001 })}}`);
      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain("at most 1,000,000 values");
    }
    expect(upstream.requests).toEqual([]);
  });
});
