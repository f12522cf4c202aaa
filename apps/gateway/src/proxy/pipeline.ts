/**
 * What happens to a request, in order. Each step is a method that either goes on to the next or ends the request; what a
 * step decides is in its file under `stages/`. With a cached key, no limits and a free slot everything up to the upstream
 * call happens in one turn of the event loop, without a promise.
 *
 *   path > credential > key > state and schedule > body > model name > model > access > budgets > slot > reservation
 *   > upstream > answer > slot back > settlement and record
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { BudgetAnswer, Spend } from "@obleth/cluster";
import type { Refusal } from "../error-response";
import type { KeyRecord, ModelRecord } from "../policy-cache/records";
import type { AdmissionOutcome } from "../scheduler/admission-outcome";
import type { BodyMemory } from "./body/body-memory";
import { EditedBytes } from "./body/edited-bytes";
import { readBody } from "./body/read-body";
import type { CallFields } from "./body/scan-call";
import { preflightHeaders } from "./cors";
import { type ModelsRoute, modelsAnswer } from "./list-models";
import type { ProxyDeps } from "./proxy-deps";
import { CLIENT_GONE_STATUS, type Outcome, ProxyRequest } from "./proxy-request";
import { quietly, type RequestEndings } from "./request-endings";
import { jsonAnswer } from "./respond";
import { type CallRoute, matchRoute, protocolOf, type Route } from "./routes";
import { ADMISSION_TIMEOUT, admissionRefusal, admit, NO_SERVERS, SHUTTING_DOWN } from "./stages/admit";
import { authenticate } from "./stages/authenticate";
import { TermCalendar } from "./stages/budget-terms";
import { accessRefusal, modelRefusal } from "./stages/check-access";
import { budgetRefusal, spendOf } from "./stages/check-budget";
import { pathRefusal } from "./stages/check-path";
import { hasServer, ModelFinder, noServer, speaks } from "./stages/find-model";
import { lookAgain } from "./stages/look-again";
import type { Sendable, UpstreamSender } from "./stages/send-upstream";
import { scanBody, understandCall } from "./stages/understand-call";
import type { Tokenizers } from "./tokenizers";

export interface PipelineParts {
  readonly deps: ProxyDeps;
  readonly sender: UpstreamSender;
  readonly tokenizers: Tokenizers;
  readonly endings: RequestEndings;
  readonly memory: BodyMemory;
}

/** A call on its way, with what each step has added. */
interface Call {
  readonly request: ProxyRequest;
  readonly route: CallRoute;
  readonly search: string;
  readonly key: KeyRecord;
}

interface RoutedCall extends Call {
  readonly body: EditedBytes;
  readonly fields: CallFields;
  readonly model: ModelRecord;
  readonly isRouted: boolean;
  readonly spend: Spend | null;
  readonly chat: Sendable["chat"];
}

export class Pipeline {
  readonly #models: ModelFinder;
  readonly #endings: RequestEndings;
  readonly #calendar = new TermCalendar();

  constructor(private readonly parts: PipelineParts) {
    this.#models = new ModelFinder(parts.deps.models, parts.deps.settings);
    this.#endings = parts.endings;
  }

  /** Takes a request as it arrives and sees it to its end. */
  run(req: IncomingMessage, res: ServerResponse, { expectsContinue }: { expectsContinue: boolean }): void {
    const { deps, endings } = this.parts;
    const answer = matchRoute(req.url ?? "/");
    const request = new ProxyRequest(req, res, {
      protocol: protocolOf(answer, req),
      startedAtMs: deps.clock.monotonicMs(),
      expectsContinue,
    });
    endings.begin(request);
    req.on("error", ignore);
    res.on("error", ignore);
    res.on("close", () => this.#endings.end(request, "client_gone", CLIENT_GONE_STATUS));
    const refusal = pathRefusal(answer, req);
    if (refusal !== null) this.#refuse(request, refusal);
    else if ("allow" in answer && req.method === "OPTIONS") this.#options(request, answer.allow);
    else if (answer.kind !== "route") return;
    else if (endings.isDraining) this.#refuse(request, SHUTTING_DOWN, "shutting_down");
    else this.#guard(request, () => this.#begin(request, answer.route, answer.search));
  }

  /** An `Expect` header that asks for something nobody promises. */
  refuseExpectation(req: IncomingMessage, res: ServerResponse): void {
    const protocol = protocolOf(matchRoute(req.url ?? "/"), req);
    const request = new ProxyRequest(req, res, { protocol, startedAtMs: this.parts.deps.clock.monotonicMs() });
    req.on("error", ignore);
    res.on("error", ignore);
    this.#refuse(request, EXPECTATION_FAILED);
  }

  /** The process cannot wait any longer for this request. */
  cutShort(request: ProxyRequest): void {
    if (request.answering === null) this.#refuse(request, SHUTTING_DOWN, "shutting_down");
    else request.answering.cutShort();
  }

  #begin(request: ProxyRequest, route: Route, search: string): void {
    request.reachedAuthentication = true;
    this.#authenticate(request, (key) => this.#readBody({ request, route, search, key }));
  }

  /** Goes on with the caller's key as it is at this moment, if that may call. */
  #authenticate(request: ProxyRequest, goOn: (key: KeyRecord) => void): void {
    authenticate(request.req, this.parts.deps.keys, (result) => {
      this.#goOn(request, () => {
        request.trace?.authenticated();
        const refusal =
          "refusal" in result ? result.refusal : accessRefusal(result.key, this.parts.deps.clock.wallMs());
        if ("key" in result) request.key = result.key;
        if (refusal !== null) this.#refuse(request, refusal);
        else if ("key" in result) goOn(result.key);
      });
    });
  }

  #readBody({ request, route, search, key }: Omit<Call, "route"> & { route: Route }): void {
    if (route.kind === "list-models" || route.kind === "one-model") {
      this.#showModels(request, route, key);
      return;
    }
    const isCount = route.kind === "count-tokens";
    const call: Call = { request, route: isCount ? route.call : route, search, key };
    const { req, res, expectsContinue } = request;
    const hold = this.parts.memory.open(key.tenant.id);
    request.bodyHold = hold;
    const limits = { maxBytes: this.parts.deps.settings.maxBodyBytes, hold };
    readBody({ req, res, sendContinue: expectsContinue }, limits, (result) => {
      this.#goOn(request, () => {
        if (result === "no-room") {
          this.#noRoom(request);
          return;
        }
        if ("refusal" in result) {
          this.#refuse(request, result.refusal);
          return;
        }
        const { body } = result;
        const scan = scanBody({ req, route: call.route, body }, this.parts.deps.settings);
        if (scan.kind === "invalid") this.#refuse(request, invalid(scan));
        else if (this.#hasTakenLong(request))
          this.#authenticate(request, (present) =>
            this.#findModel({ ...call, key: present }, { body, fields: scan.fields, isCount }),
          );
        else this.#findModel(call, { body, fields: scan.fields, isCount });
      });
    });
  }

  /** Long enough for the key to have been changed since it was looked at. */
  #hasTakenLong({ startedAtMs }: ProxyRequest): boolean {
    return this.parts.deps.clock.monotonicMs() - startedAtMs > KEY_FRESH_MS;
  }

  #findModel(call: Call, { body, fields, isCount }: { body: Buffer; fields: CallFields; isCount: boolean }): void {
    const { request, route, key } = call;
    const { deps, tokenizers } = this.parts;
    const found = this.#models.find(fields.model);
    if ("refusal" in found) {
      this.#refuse(request, found.refusal);
      return;
    }
    const { model, isRouted } = found;
    request.model = model;
    request.isRouted = isRouted;
    const understood = understandCall(
      { req: request.req, route, body, fields, model },
      { tokenizers, settings: deps.settings },
    );
    const refusal = modelRefusal(model, key.tenant) ?? ("refusal" in understood ? understood.refusal : null);
    if (refusal !== null || "refusal" in understood) {
      this.#refuse(request, refusal ?? NO_SERVERS);
      return;
    }
    request.estimatedTokens = understood.estimatedTokens;
    request.session = understood.session;
    if (isCount && !speaks(model, "anthropic")) {
      this.#endings.answer(request, jsonAnswer(JSON.stringify({ input_tokens: understood.fields.inputTokens })));
      return;
    }
    const { chat } = understood;
    if (chat !== null && request.bodyHold?.take(chat.size) !== true) {
      this.#noRoom(request);
      return;
    }
    const spend = this.#spendOf({ request, route, key, model, fields: understood.fields });
    const { search } = call;
    const { fields: known } = understood;
    const kept = new EditedBytes(body);
    // Spelt out, because copying objects member by member is slow where every request passes.
    this.#checkBudgets({ request, route, search, key, body: kept, fields: known, model, isRouted, spend, chat });
  }

  #spendOf(call: Pick<RoutedCall, "request" | "route" | "key" | "model" | "fields">): Spend | null {
    const { request, route, key, model, fields } = call;
    return spendOf({
      requestId: request.id,
      key,
      model,
      route,
      fields,
      estimatedTokens: request.estimatedTokens,
      wallMs: this.parts.deps.clock.wallMs(),
      calendar: this.#calendar,
    });
  }

  #checkBudgets(call: RoutedCall): void {
    const { request, model, route } = call;
    if (!hasServer(model, route)) {
      this.#refuse(request, noServer(model, route));
      return;
    }
    if (call.spend === null) {
      this.#admit(call);
      return;
    }
    this.#askBudgets(call, this.parts.deps.budgets.check(call.spend), () => this.#admit(call));
  }

  #admit(call: RoutedCall): void {
    const { request, key, model, isRouted } = call;
    const { estimatedTokens, session } = request;
    const { admission, clock } = this.parts.deps;
    const settle = (outcome: AdmissionOutcome): void => this.#guard(request, () => this.#admitted(call, outcome));
    const wallMs = clock.wallMs();
    const waiting = admit(admission, { key, model, isRouted, estimatedTokens, session: session.id, wallMs }, settle);
    if (waiting === undefined || request.isEnded || request.permit !== null) return;
    request.waiting = waiting;
    request.admission = "queued";
  }

  #admitted(call: RoutedCall, outcome: AdmissionOutcome): void {
    const { request } = call;
    request.waiting = null;
    request.queueWaitMs = outcome.waitMs;
    request.trace?.admitted(outcome);
    if (outcome.kind === "admitted-fast" || outcome.kind === "admitted-queued") {
      request.granted(outcome.permit, this.parts.deps.admission);
      request.admission = outcome.kind === "admitted-fast" ? "fast" : "queued";
      if (request.isEnded) outcome.permit.release();
      else if (outcome.kind === "admitted-queued") this.#afterWait(call);
      else this.#reserve(call);
      return;
    }
    if (request.isEnded) return;
    if (outcome.kind === "queue-full" || outcome.kind === "no-servers") request.admission = "rejected";
    else request.admission = "queued";
    const refusal = admissionRefusal(outcome.kind);
    if (refusal !== null) this.#refuse(request, refusal, OUTCOME_OF[outcome.kind] ?? "refused");
  }

  /** Goes on with the key and the model as they are after the wait. */
  #afterWait(call: RoutedCall): void {
    const { request, route } = call;
    const { deps, tokenizers } = this.parts;
    this.#authenticate(request, (key) => {
      const parts = { models: this.#models, tokenizers, settings: deps.settings };
      const present = lookAgain({ ...call, req: request.req }, key, parts);
      if ("refusal" in present) {
        this.#refuse(request, present.refusal);
        return;
      }
      if (present.chat !== call.chat) {
        request.bodyHold?.giveBack(call.chat?.size ?? 0);
        if (request.bodyHold?.take(present.chat?.size ?? 0) !== true) {
          this.#noRoom(request);
          return;
        }
      }
      request.model = present.model;
      this.#reserve({ ...call, ...present, key, spend: this.#spendOf({ request, route, key, ...present }) });
    });
  }

  #reserve(call: RoutedCall): void {
    const { request, spend } = call;
    if (spend === null) {
      this.#send(call);
      return;
    }
    this.#askBudgets(call, this.parts.deps.budgets.reserve(spend), (isReserved) => {
      if (isReserved) request.reserved = spend;
      this.#send(call);
    });
  }

  /** Goes on when the budgets allow it. A reservation that arrives after the request has ended is settled with nothing. */
  #askBudgets(call: RoutedCall, asked: BudgetAnswer | Promise<BudgetAnswer>, goOn: (isCounted: boolean) => void): void {
    const { request, spend } = call;
    const { budgets, events, settings } = this.parts.deps;
    const decide = (answer: BudgetAnswer): void => {
      const isCounted = answer.kind === "ok";
      if (request.isEnded) {
        if (isCounted && request.permit !== null && spend !== null)
          void budgets.settle(spend, { tokens: 0, costUsd: 0 });
        return;
      }
      if (answer.kind === "unavailable") quietly(() => events.budgetsUnavailable(settings.failOpen));
      const refusal = budgetRefusal(answer, settings);
      if (refusal !== null) {
        this.#refuse(request, refusal);
        return;
      }
      this.#guard(request, () => goOn(isCounted));
    };
    if (asked instanceof Promise) asked.then(decide, () => decide({ kind: "unavailable" }));
    else decide(asked);
  }

  /** Sends it, unless its slot was lost to another gateway while this process stood still. */
  #send(call: RoutedCall): void {
    const { deps, sender } = this.parts;
    const { request, chat } = call;
    if (request.hasLostSlot(deps.admission, deps.budgets)) this.#admit(call);
    else sender.send(call, this.#endings.extraHeaders(request, chat?.leftOut ?? NOTHING), this.#endings);
  }

  #showModels(request: ProxyRequest, route: ModelsRoute, key: KeyRecord): void {
    const isAnthropic = request.req.headers["anthropic-version"] !== undefined;
    const shown = modelsAnswer(this.parts.deps.models, { route, tenant: key.tenant, isAnthropic });
    if (typeof shown === "string") this.#endings.answer(request, jsonAnswer(shown));
    else this.#refuse(request, shown);
  }

  #options(request: ProxyRequest, allow: string): void {
    const { corsOrigins } = this.parts.deps.settings;
    const headers = ["allow", allow, ...preflightHeaders(request.req, corsOrigins, allow)];
    this.#endings.answer(request, { status: 204, headers, body: null });
  }

  /** The next step of a request that has not ended meanwhile. */
  #goOn(request: ProxyRequest, step: () => void): void {
    if (!request.isEnded) this.#guard(request, step);
  }

  /** Runs a step outside the caller's stack; a fault of ours becomes a 500 with fixed words and a log line. */
  #guard(request: ProxyRequest, step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#endings.fail(request, error);
    }
  }

  /** Retryable like a full queue: the process holds as many bytes of bodies as it may. */
  #noRoom(request: ProxyRequest): void {
    this.#endings.note(request, "bodies.no_room", { heldBytes: this.parts.memory.heldBytes });
    this.#refuse(request, ADMISSION_TIMEOUT);
  }

  #refuse(request: ProxyRequest, refusal: Refusal, outcome: Outcome = "refused"): void {
    this.#endings.refuse(request, refusal, outcome);
  }
}

/** A key is looked up again once a request has been read for longer than this: well below the second a change may take. */
const KEY_FRESH_MS = 100;

/** How a request that got no slot is recorded; others are `refused`. */
const OUTCOME_OF: Partial<Record<AdmissionOutcome["kind"], Outcome>> = {
  "timed-out": "timed_out",
  "shutting-down": "shutting_down",
};

const EXPECTATION_FAILED: Refusal = {
  code: "expectation_failed",
  message: "The Expect header asks for something this server does not do. Only '100-continue' is supported.",
};

function invalid({ message, param }: { message: string; param: string | null }): Refusal {
  return { code: "invalid_request", message, ...(param === null ? {} : { param }) };
}

const NOTHING: readonly string[] = [];

function ignore(): void {}
