import { describe, expect, it } from "vitest";
import { makeLog } from "./log";

const KEY = `sk_${"ab".repeat(24)}`;

function logged(write: (log: ReturnType<typeof makeLog>) => void, secrets: (string | null)[] = []): string {
  const lines: string[] = [];
  write(makeLog({ level: "debug", instance: "gateway-1", secrets, write: (line) => lines.push(line) }));
  return lines.join("");
}

describe("the log", () => {
  it("writes one JSON line per event with level, time, instance and name", () => {
    const line = logged(({ log }) => log.info({ port: 1 }, "listening"));
    expect(JSON.parse(line)).toMatchObject({ level: "info", instance: "gateway-1", event: "listening", port: 1 });
    expect(line.endsWith("\n")).toBe(true);
  });

  it.each([
    ["a key in a message", { err: new Error(`unknown key ${KEY}`) }],
    ["a key in a nested field", { request: { deep: { note: `saw ${KEY}!` } } }],
    ["a password in an address", { url: "postgres://obleth:canary-word@db:5432/obleth" }],
    ["a bearer credential", { note: "Authorization: Bearer canary-word" }],
    ["a header by name", { authorization: "canary-word" }],
    ["headers as a whole", { request: { headers: { "x-api-key": "canary-word" } } }],
    ["a password field", { user: { password: "canary-word" } }],
    ["a secret of this process", { note: "token is canary-word, really" }],
    ["a secret with signs in it", { note: 'quoted "canary" (word)+' }],
  ])("never shows %s", (_what, fields) => {
    const line = logged(({ log }) => log.error(fields, "fault"), ["canary-word", 'quoted "canary" (word)+', null]);
    expect(line).toContain("[hidden]");
    expect(line).not.toMatch(/canary|abab/);
    expect(() => JSON.parse(line)).not.toThrow();
  });

  it("leaves out what a failed statement was given", () => {
    const error = Object.assign(new Error("Failed query: insert\nparams: canary-1,canary-2"), { params: ["canary-3"] });
    const line = logged(({ log }) => log.error({ err: error }, "database.failed"));
    expect(line).toContain("Failed query: insert");
    expect(line).not.toContain("canary");
  });

  it("hides secrets learned later, and leaves ordinary words alone", () => {
    const line = logged((handle) => {
      handle.hide(["learned-later"]);
      handle.log.info({ note: "learned-later", model: "sim-chat", path: "http://127.0.0.1:9400/v1" }, "noted");
    });
    expect(JSON.parse(line)).toMatchObject({ note: "[hidden]", model: "sim-chat", path: "http://127.0.0.1:9400/v1" });
  });
});
