/**
 * Takes a backend's answer to the client: bytes as they come, as fast as the client takes them and no faster. Decides what
 * an answer may look like, what a failure looks like before and after the head has gone out, and gives the slot back the
 * moment the backend is done.
 */
import type { ServerResponse } from "node:http";
import { errorEvent, INTERNAL_ERROR, type Refusal } from "../../error-response";
import type { EndpointRecord } from "../../policy-cache/records";
import type { AttemptFailure } from "../../upstream/attempt";
import { endsAtEventBoundary } from "../../upstream/sse";
import type { ErrorAnswer, NoAnswer, ResultTaker } from "../../upstream/upstream-call";
import { UsageScanner } from "../../upstream/usage-scanner";
import type { Outcome, ProxyRequest } from "../proxy-request";
import { breakOff } from "../respond";
import type { CallRoute } from "../routes";
import { TooMuchToKeep, Untranslatable } from "../translate/message-answer";
import { type AnswerHead, answerHead, gatewayHeaders, withoutHeader } from "./answer-headers";
import { ChunkedWriter } from "./chunked-writer";
import { errorAnswer } from "./error-answer";
import { FirstEvent } from "./first-event";
import { noAnswerRefusal, TOO_MUCH_TO_KEEP, UNUSABLE_ANSWER } from "./no-answer";
import { StreamTail } from "./stream-tail";
import { UsageEventFilter } from "./usage-event-filter";

/** Bodies up to this long are joined with their head. */
const MAX_JOINED_BYTES = 16 * 1024;

/** Rewrites an answer into the caller's dialect. */
export interface AnswerTranslation {
  /** Bytes for the client, possibly none yet; throws `Untranslatable`. */
  push(chunk: Buffer): Buffer | null;
  end(): Buffer | null;
  /** What stands in the answer's `content-type`. */
  readonly contentType: string;
}

/** What of a call decides how its answer is relayed. */
export interface RelayCall {
  readonly route: CallRoute;
  /** Headers for this client on every answer. */
  readonly extraHeaders: readonly string[];
  /** The latest try asked for usage figures that the client did not ask for. */
  hidesUsage(): boolean;
  /** Null when the endpoint speaks the caller's dialect. */
  translationFor(endpoint: EndpointRecord, isStream: boolean): AnswerTranslation | null;
}

/** Where requests end. */
export interface RelayEndings {
  nowMs(): number;
  /** Ends the request: slot first, then records. */
  end(request: ProxyRequest, outcome: Outcome, statusCode: number): void;
  refuse(request: ProxyRequest, refusal: Refusal, outcome: Outcome): void;
  /** For the log: a fault of the gateway's own. */
  noteFault(request: ProxyRequest, error: unknown): void;
  /** For the log. */
  note(request: ProxyRequest, event: string, fields: object): void;
}

export class AnswerRelay implements ResultTaker {
  #status = 0;
  #head: AnswerHead | null = null;
  #isStream = false;
  #hasSentHead = false;
  /** The first of its body has come; a translation may keep that until the last has. */
  #hasBegun = false;
  #scanner: UsageScanner | null = null;
  #filter: UsageEventFilter | null = null;
  #tail: StreamTail | null = null;
  /** Null once it has been seen, and for answers that are no readable stream. */
  #firstEvent: FirstEvent | null = null;
  #translation: AnswerTranslation | null = null;
  #lastSent: Buffer | null = null;
  #beforeLastSent: Buffer | null = null;
  /** The whole of a short body, to go out with its head. */
  #whole: Buffer | null = null;
  #writer: ChunkedWriter | null = null;

  constructor(
    private readonly request: ProxyRequest,
    private readonly call: RelayCall,
    private readonly endings: RelayEndings,
  ) {
    request.answering = this;
  }

  onAnswer(endpoint: EndpointRecord, status: number, rawHeaders: readonly Buffer[]): void {
    const head = answerHead(rawHeaders);
    this.request.endpoint = endpoint;
    this.request.firstByteAtMs = this.endings.nowMs();
    this.request.firstTokenAtMs = this.request.firstByteAtMs;
    this.#status = status;
    this.#head = head;
    this.#isStream = head.contentType === "text/event-stream";
    this.#translation = this.call.translationFor(endpoint, this.#isStream);
    if (head.isEncoded) return;
    this.#scanner = new UsageScanner();
    if (!this.#isStream) return;
    this.#tail = new StreamTail({ protocol: endpoint.protocol, route: this.call.route });
    this.#firstEvent = new FirstEvent();
    this.request.firstTokenAtMs = null;
    if (this.#translation === null && this.call.hidesUsage()) this.#filter = new UsageEventFilter();
  }

  onData(chunk: Buffer): boolean {
    try {
      return this.#take(chunk);
    } catch (error) {
      this.#failed(error);
      return true;
    }
  }

  onEnd(): void {
    try {
      this.#finish();
    } catch (error) {
      this.#failed(error);
    }
  }

  #take(chunk: Buffer): boolean {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      if (!this.#isAcceptable(chunk)) return true;
      if (this.#translation === null && !this.#isStream && this.#head?.contentLength === chunk.length) {
        this.#scanner?.push(chunk);
        this.#whole = chunk;
        return true;
      }
    }
    return this.#relay(chunk);
  }

  #finish(): void {
    const { request } = this;
    request.usage = this.#scanner?.figures ?? null;
    if (this.#head !== null && !this.#isWhole()) {
      this.#breakOff("the answer stopped without the protocol's end");
      return;
    }
    request.releaseSlot();
    const rest = this.#lastBytes();
    if (rest === undefined) return;
    if (!this.#hasSentHead) this.#sendHead(rest?.length ?? 0);
    this.#writer?.release();
    if (this.#whole === null || this.#whole.length > MAX_JOINED_BYTES) request.res.end(rest ?? undefined);
    else endJoined(request.res, this.#whole);
    this.endings.end(this.request, "completed", this.#status);
  }

  onBroken({ kind, detail }: AttemptFailure): void {
    this.request.usage = this.#scanner?.figures ?? null;
    this.#breakOff(detail, noAnswerRefusal({ reason: kind, detail, endpoint: this.request.endpoint }));
  }

  onErrorAnswer(endpoint: EndpointRecord, { status, rawHeaders, body }: ErrorAnswer): void {
    const { request, call, endings } = this;
    request.endpoint = endpoint;
    request.firstByteAtMs = endings.nowMs();
    request.firstTokenAtMs = request.firstByteAtMs;
    const isTranslated = endpoint.protocol !== call.route.protocol;
    const answer = errorAnswer({
      endpoint,
      status,
      head: answerHead(rawHeaders),
      body,
      isTranslated,
      requestId: request.id,
    });
    endings.note(request, "upstream.error_status", { status, endpoint: endpoint.name });
    if ("refusal" in answer) {
      endings.refuse(request, answer.refusal, "upstream_error");
      return;
    }
    request.releaseSlot();
    const headers = withoutHeader(answer.headers, "content-length");
    headers.push("content-length", String(answer.body.length), ...gatewayHeaders(request), ...call.extraHeaders);
    request.res.writeHead(status, headers);
    request.res.end(answer.body);
    endings.end(request, isBackendsFault(status) ? "upstream_error" : "completed", status);
  }

  onNoAnswer(failure: NoAnswer): void {
    this.request.endpoint = failure.endpoint ?? this.request.endpoint;
    this.endings.note(this.request, "upstream.no_answer", {
      reason: failure.reason,
      detail: failure.detail,
      endpoint: failure.endpoint?.name,
    });
    this.endings.refuse(this.request, noAnswerRefusal(failure), "upstream_error");
  }

  /** Refuses, before the head has gone out, what cannot be an answer to this call. False when it has been refused. */
  #isAcceptable(firstChunk: Buffer | null): boolean {
    const head = this.#head;
    if (head === null || this.call.route.answers === "bytes" || this.#isStream || head.isEncoded) return true;
    const isEmpty = firstChunk === null || firstChunk.length === 0;
    if (this.#status === 204 || (!isEmpty && beginsLikeJson(firstChunk))) return true;
    this.endings.note(this.request, "upstream.not_json", {
      contentType: head.contentType,
      endpoint: this.request.endpoint?.name,
    });
    this.request.call?.abort();
    this.endings.refuse(this.request, UNUSABLE_ANSWER, "upstream_error");
    return false;
  }

  #relay(chunk: Buffer): boolean {
    const mayHoldUsage = this.#scanner?.push(chunk) ?? false;
    this.#tail?.push(chunk);
    if (this.#firstEvent?.push(chunk) === true) {
      this.#firstEvent = null;
      this.request.firstTokenAtMs = this.endings.nowMs();
    }
    const bytes = this.#transform(chunk, mayHoldUsage);
    if (bytes === null) return true;
    if (!this.#hasSentHead) this.#sendHead(null);
    return this.#send(bytes);
  }

  /** What of a chunk goes to the client: null for nothing yet. */
  #transform(chunk: Buffer, mayHoldUsage: boolean): Buffer | null {
    if (this.#filter !== null) return this.#filter.push(chunk, mayHoldUsage);
    return this.#translation === null ? chunk : this.#translation.push(chunk);
  }

  /** What is left to send when the backend is done; undefined when the answer has been refused. */
  #lastBytes(): Buffer | null | undefined {
    if (this.#whole !== null) return this.#whole;
    if (this.#filter !== null) return this.#filter.end();
    if (this.#translation !== null) return this.#translation.end();
    return this.#hasBegun || this.#isAcceptable(null) ? null : undefined;
  }

  #sendHead(length: number | null): void {
    const { request, call } = this;
    const head = this.#head;
    if (head === null) return;
    request.statusCode = this.#status;
    let { headers } = head;
    if (this.#translation !== null) {
      headers = withoutHeader(withoutHeader(headers, "content-length"), "content-type");
      headers.push("content-type", this.#translation.contentType);
      if (length !== null) headers.push("content-length", String(length));
    } else if (this.#filter !== null) {
      headers = withoutHeader(headers, "content-length");
    }
    if (this.#isStream) headers.push("x-accel-buffering", "no");
    headers.push(...gatewayHeaders(request), ...call.extraHeaders);
    request.res.writeHead(this.#status, headers);
    this.#hasSentHead = true;
  }

  #send(bytes: Buffer): boolean {
    const { res } = this.request;
    this.#beforeLastSent = this.#lastSent;
    this.#lastSent = bytes;
    this.#writer ??= new ChunkedWriter(res, () => this.#caughtUp());
    if (this.#writer.write(bytes)) return true;
    this.request.isBlocked = true;
    return false;
  }

  #caughtUp(): void {
    if (!this.request.isBlocked) return;
    this.request.isBlocked = false;
    this.request.call?.resume();
  }

  /** Whether a body that ended is all there, as far as its protocol can tell. */
  #isWhole(): boolean {
    if (this.#tail !== null) return this.#tail.isFinished();
    const last = this.#lastSent;
    if (this.call.route.answers === "bytes" || this.#head?.endsWithConnection !== true || last === null) return true;
    return endsLikeJson(last);
  }

  /** The client must not take what it has for the whole: nothing sent yet becomes an error, else the connection breaks. */
  #breakOff(detail: string, refusal: Refusal = UNUSABLE_ANSWER): void {
    const { request, endings } = this;
    endings.note(request, "upstream.broke_off", { detail, endpoint: request.endpoint?.name });
    if (this.#hasSentHead) {
      request.releaseSlot();
      breakOff(request.res);
      endings.end(request, "upstream_error", this.#status);
    } else {
      endings.refuse(request, refusal, "upstream_error");
    }
  }

  /** What the backend said cannot be told in the caller's dialect, or the gateway itself is at fault. */
  #failed(error: unknown): void {
    this.request.call?.abort();
    if (error instanceof TooMuchToKeep) {
      this.endings.note(this.request, "upstream.broke_off", {
        detail: error.message,
        endpoint: this.request.endpoint?.name,
      });
      this.#stop(TOO_MUCH_TO_KEEP, "upstream_error");
      return;
    }
    if (error instanceof Untranslatable) {
      this.#breakOff(error.message);
      return;
    }
    this.endings.noteFault(this.request, error);
    if (!this.request.isEnded) this.#stop(INTERNAL_ERROR, "refused");
  }

  /** The gateway cannot let the answer go on: says so where the protocol has a place for it. */
  cutShort(): void {
    this.request.call?.abort();
    this.#stop(CUT_SHORT, "shutting_down");
  }

  #stop(reason: Refusal, outcome: Outcome): void {
    const { request, call, endings } = this;
    if (!this.#hasSentHead) {
      endings.refuse(request, reason, outcome);
      return;
    }
    request.releaseSlot();
    this.#writer?.release();
    if (this.#isStream && this.#isAtBoundary()) {
      request.res.end(errorEvent(reason, call.route.protocol, request.id));
    } else {
      breakOff(request.res);
    }
    endings.end(request, outcome, this.#status);
  }

  #isAtBoundary(): boolean {
    if (this.#lastSent === null) return true;
    const before = this.#beforeLastSent ?? Buffer.alloc(0);
    return endsAtEventBoundary(Buffer.concat([before.subarray(-4), this.#lastSent.subarray(-4)]));
  }
}

const CUT_SHORT: Refusal = {
  code: "shutting_down",
  message: "The gateway is shutting down and could not wait for the rest of this answer. Send the request again.",
  retryAfterSecs: 5,
};

/**
 * Ends an answer whose head has not gone out, in one piece with it: a text is joined to the head where a buffer would be
 * another piece, and `end` would add a third.
 */
function endJoined(res: ServerResponse, body: Buffer): void {
  res.write(body.toString("latin1"), "latin1");
  res.socket?.uncork();
  res.end();
}

function isBackendsFault(status: number): boolean {
  return status >= 500 || status === 408 || status === 429;
}

/** White space alone may be a slow backend's way to keep a connection open. */
function beginsLikeJson(chunk: Buffer): boolean {
  let at = 0;
  let byte = chunk[at];
  while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) byte = chunk[++at];
  return byte === undefined || byte === 0x7b || byte === 0x5b;
}

function endsLikeJson(chunk: Buffer): boolean {
  const text = chunk.subarray(-16).toString("latin1").trimEnd();
  return text === "" || text.endsWith("}") || text.endsWith("]");
}
