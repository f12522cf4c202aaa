/** What a client sees of a fault of the gateway's own once its answer is under way. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { SystemClock } from "@obleth/clock";
import { waiterId } from "@obleth/fairshare";
import { describe, expect, it } from "vitest";
import type { Protocol } from "../../error-response";
import { SlotPermit } from "../../scheduler/permit";
import { ProxyRequest } from "../proxy-request";
import { RequestEndings } from "../request-endings";
import { matchRoute } from "../routes";
import { endpoint, type LogLine, NO_BUDGETS, SETTINGS } from "../testing/rig";
import { delta, event } from "../testing/scripts";
import { Untranslatable } from "../translate/message-answer";
import { AnswerRelay, type AnswerTranslation } from "./answer-relay";

const PATHS = { openai: "/v1/chat/completions", anthropic: "/v1/messages" } as const;

/** Passes `good` pieces on and then fails with this. */
function failingAfter(good: number, error: Error): AnswerTranslation {
  let passed = 0;
  return {
    contentType: "text/event-stream",
    push: (chunk) => {
      if (passed++ === good) throw error;
      return chunk;
    },
    end: () => null,
  };
}

/** What a client gets of a stream whose relaying fails like that, and what is left behind. */
async function relayed(protocol: Protocol, translation: AnswerTranslation) {
  const lines: LogLine[] = [];
  const done: string[] = [];
  const log = (level: string) => (fields: object, name: string) => void lines.push({ level, fields, event: name });
  const endings = new RequestEndings({
    clock: new SystemClock(),
    settings: SETTINGS,
    budgets: NO_BUDGETS,
    tracing: null,
    usage: { record: () => {} },
    events: {
      requestFinished: ({ outcome }) => void done.push(outcome),
      budgetsUnavailable: () => {},
      attemptFinished: () => {},
      endpointHealthChanged: () => {},
    },
    log: { error: log("error"), warn: log("warn"), info: log("info"), isLevelEnabled: () => false },
  });
  const server = createServer((req, res) => {
    const request = new ProxyRequest(req, res, { protocol, startedAtMs: 0 });
    request.reachedAuthentication = true;
    request.permit = new SlotPermit({ finish: () => void done.push("slot") }, waiterId(1));
    request.call = { abort: () => void done.push("abort"), resume: () => {} };
    endings.begin(request);
    const answer = matchRoute(PATHS[protocol]);
    if (answer.kind !== "route" || answer.route.kind !== "call") return;
    const call = {
      route: answer.route,
      extraHeaders: [],
      hidesUsage: () => false,
      translationFor: () => translation,
    };
    const relay = new AnswerRelay(request, call, endings);
    relay.onAnswer(endpoint("http://127.0.0.1:1/v1"), 200, [
      Buffer.from("content-type"),
      Buffer.from("text/event-stream"),
    ]);
    for (let i = 0; i < 3 && !request.isEnded; i++) relay.onData(Buffer.from(event(delta(`w${i}`))));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const { status, text } = await fetch(`http://127.0.0.1:${port}`, { method: "POST" }).then(
    async (answer) => ({ status: answer.status, text: await answer.text().catch(() => "broken off") }),
    () => ({ status: 0, text: "broken off" }),
  );
  server.closeAllConnections();
  server.close();
  return { status, text, lines, done, active: endings.active.size };
}

describe("a fault of ours in the middle of a stream", () => {
  it.each([
    ["openai", '"code":"internal_error"', "data: [DONE]\n\n"],
    ["anthropic", 'event: error\ndata: {"type":"error","error":{"type":"api_error"', "}\n\n"],
  ] as const)(
    "ends it with one error event in the dialect of %s, logged once, its slot back",
    async (dialect, part, end) => {
      const seen = await relayed(dialect, failingAfter(2, new TypeError("secret detail")));
      expect(seen.status).toBe(200);
      expect(seen.text).toContain("w1");
      expect(seen.text).toContain(part);
      expect(seen.text.endsWith(end)).toBe(true);
      expect(seen.text).not.toMatch(/secret|w2/);
      expect(seen.lines.map(({ event: name }) => name)).toEqual(["request.failed"]);
      expect(seen.done.filter((what) => what !== "abort")).toEqual(["slot", "refused"]);
      expect(seen.done[0]).toBe("abort");
      expect(seen.active).toBe(0);
    },
  );

  it("is a plain 500 while nothing has been sent", async () => {
    const seen = await relayed("openai", failingAfter(0, new TypeError("secret detail")));
    expect(seen.status).toBe(500);
    expect(JSON.parse(seen.text)).toMatchObject({ error: { code: "internal_error" } });
  });
});

describe("an answer that cannot be told in the caller's dialect", () => {
  it("is the backend's fault: broken off, so that it cannot look complete", async () => {
    const seen = await relayed("anthropic", failingAfter(2, new Untranslatable("odd")));
    expect(seen.text).toBe("broken off");
    expect(seen.lines.map(({ event: name }) => name)).toEqual(["upstream.broke_off"]);
    expect(seen.done.at(-1)).toBe("upstream_error");
  });
});
