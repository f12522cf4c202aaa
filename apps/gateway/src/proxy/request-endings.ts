/**
 * How requests end: with an answer of the gateway's own, a refusal, a relayed answer, or a client that left. All ways meet
 * in `end`, which runs once per request, gives back what it holds, the slot first, and writes down what happened.
 */
import { errorResponse, INTERNAL_ERROR, type Refusal, statusOf } from "../error-response";
import { Roster } from "../roster";
import { corsHeaders } from "./cors";
import type { ProxyDeps } from "./proxy-deps";
import type { Outcome, ProxyRequest } from "./proxy-request";
import { gatewayHeaders } from "./relay/answer-headers";
import type { RelayEndings } from "./relay/answer-relay";
import { type Answer, breakOff, sendAnswer } from "./respond";
import { costUsd } from "./stages/check-budget";
import { usageRecordOf } from "./stages/record-usage";

type EndingsDeps = Pick<ProxyDeps, "budgets" | "clock" | "events" | "log" | "settings" | "tracing" | "usage">;

export class RequestEndings implements RelayEndings {
  /** Requests that have begun and not ended. */
  readonly active = new Roster<ProxyRequest>();
  isDraining = false;
  #whenIdle: (() => void)[] = [];

  constructor(private readonly deps: EndingsDeps) {}

  begin(request: ProxyRequest): void {
    this.active.add(request);
    const { tracing } = this.deps;
    if (tracing === null) return;
    quietly(() => {
      request.trace = tracing.begin(request);
    });
  }

  /** Calls back once no request is active; at once when none is. */
  whenIdle(done: () => void): void {
    if (this.active.size === 0) done();
    else this.#whenIdle.push(done);
  }

  /** Answers with a refusal and ends the request. */
  refuse(request: ProxyRequest, refusal: Refusal, outcome: Outcome): void {
    if (request.isEnded) return;
    request.releaseSlot();
    this.#send(request, errorResponse(refusal, request.protocol, request.id));
    this.end(request, outcome, statusOf(refusal));
  }

  /** Answers without a backend and ends the request. */
  answer(request: ProxyRequest, answer: Answer): void {
    if (request.isEnded) return;
    this.#send(request, answer);
    // Nothing was in its way, as for a request that finds a slot free; its answer names no slot, since there is none.
    request.admission = "fast";
    this.end(request, "completed", answer.status);
  }

  /** A fault of ours: logged in full, told in fixed words. */
  fail(request: ProxyRequest, error: unknown): void {
    this.noteFault(request, error);
    if (request.res.headersSent) breakOff(request.res);
    this.refuse(request, INTERNAL_ERROR, "refused");
  }

  /** The one end of a request. Later calls do nothing. */
  end(request: ProxyRequest, outcome: Outcome, statusCode: number): void {
    if (request.isEnded) return;
    request.isEnded = true;
    request.releaseSlot();
    request.waiting?.cancel();
    request.letGo();
    this.active.delete(request);
    if (this.isDraining) closeBehind(request);
    if (request.reachedAuthentication) this.#record(request, outcome, statusCode);
    if (this.active.size === 0) for (const done of this.#whenIdle.splice(0)) done();
  }

  nowMs(): number {
    return this.deps.clock.monotonicMs();
  }

  noteFault(request: ProxyRequest, error: unknown): void {
    quietly(() => this.deps.log.error({ requestId: request.id, err: error }, "request.failed"));
  }

  /** Something about a request that an operator may want to know. */
  note(request: ProxyRequest, event: string, fields: object): void {
    quietly(() => this.deps.log.warn({ requestId: request.id, model: request.model?.name, ...fields }, event));
  }

  /** Headers that depend on the client or on what was done to its request. */
  extraHeaders(request: ProxyRequest, leftOut: readonly string[]): string[] {
    const headers = corsHeaders(request.req, this.deps.settings.corsOrigins);
    if (leftOut.length > 0) headers.push("x-obleth-left-out", leftOut.join(", "));
    if (this.isDraining) headers.push("connection", "close");
    return headers;
  }

  #send(request: ProxyRequest, { status, headers, body }: Answer): void {
    const all = [...headers, ...gatewayHeaders(request), ...this.extraHeaders(request, [])];
    sendAnswer(request.req, request.res, { status, headers: all, body });
  }

  #record(request: ProxyRequest, outcome: Outcome, statusCode: number): void {
    const { clock, settings, usage, events, budgets, log } = this.deps;
    if (request.reserved !== null) void budgets.settle(request.reserved, actualSpend(request, outcome, statusCode));
    const record = usageRecordOf(request, {
      outcome,
      statusCode,
      nowMs: clock.monotonicMs(),
      wallMs: clock.wallMs(),
      replica: settings.replica,
    });
    quietly(() => request.trace?.end(request, record));
    quietly(() => usage.record(record));
    quietly(() => events.requestFinished(record));
    if (log.isLevelEnabled("info")) quietly(() => log.info(record, "request.finished"));
  }
}

/** Its head may have promised to keep the connection, before the process began to stop. */
function closeBehind({ req, res }: ProxyRequest): void {
  if (res.writableFinished) req.socket.end();
  else res.once("finish", () => req.socket.end());
}

/**
 * What to book: what was reported; the estimate for an answer that reported nothing; nothing when there was no answer, or
 * a backend's refusal, which costs no tokens.
 */
function actualSpend(
  { usage, model, firstTokenAtMs, estimatedTokens, reserved }: ProxyRequest,
  outcome: Outcome,
  statusCode: number,
): { tokens: number; costUsd: number } {
  if (usage !== null) {
    const tokens = usage.inputTokens + usage.outputTokens;
    return { tokens, costUsd: model === null ? 0 : (costUsd(model, usage) ?? 0) };
  }
  const wasRefused =
    outcome === "upstream_error" || outcome === "refused" || (outcome === "completed" && statusCode >= 400);
  const hadAnswer = firstTokenAtMs !== null && !wasRefused;
  return hadAnswer ? { tokens: estimatedTokens, costUsd: reserved?.estimatedCostUsd ?? 0 } : { tokens: 0, costUsd: 0 };
}

/** Runs what must not disturb a request: metrics, records, logs. */
export function quietly(action: () => void): void {
  try {
    action();
  } catch {
    // A listener's fault is its own.
  }
}
