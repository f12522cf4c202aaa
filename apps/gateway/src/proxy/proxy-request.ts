/**
 * One client request from its first byte to its record: what is known of it so far, what it holds, and its end. It ends
 * exactly once, whoever says so first; whatever it holds (a place in the queue, a slot, a reservation, a call to a
 * backend) is given back then, the slot first, and right before it the call it was for.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Spend, TokenBudgets } from "@obleth/cluster";
import type { Protocol } from "../error-response";
import type { EndpointRecord, KeyRecord, ModelRecord } from "../policy-cache/records";
import type { Listed } from "../roster";
import type { Admission, Waiting } from "../scheduler/admission";
import type { Permit } from "../scheduler/permit";
import type { UsageFigures } from "../upstream/usage-figures";
import type { UsageRecord } from "../usage/usage-record";
import type { BodyHold } from "./body/body-memory";
import type { RequestTrace } from "./tracing/request-trace";

export type Outcome = UsageRecord["outcome"];

/** Status of a request whose client left before an answer; never sent, only recorded. */
export const CLIENT_GONE_STATUS = 499;

/** Why a session id is what it is. */
export interface SessionChoice {
  readonly id: string | null;
  readonly source: UsageRecord["sessionSource"];
}

/** A call to a backend. */
export interface RunningCall {
  /** Gives it up. */
  abort(): void;
  /** Its answer may go on. */
  resume(): void;
}

/** An answer on its way to the client. */
export interface Answering {
  /** Ends it with an error event, or breaks it off. */
  cutShort(): void;
}

/** What is known of a request when it arrives. */
export interface RequestFacts {
  readonly protocol: Protocol;
  /** Monotonic. */
  readonly startedAtMs: number;
  /** The client waits for `100 Continue` before it sends its body. */
  readonly expectsContinue?: boolean;
}

export class ProxyRequest implements Listed {
  rosterPlace = -1;
  readonly id = randomUUID();
  key: KeyRecord | null = null;
  /** True once a credential has been looked for, from when on the request leaves a usage record. */
  reachedAuthentication = false;
  model: ModelRecord | null = null;
  /** False when the model's name is not registered and goes to the common upstream. */
  isRouted = true;
  session: SessionChoice = { id: null, source: "none" };
  estimatedTokens = 0;
  admission: UsageRecord["admission"] = "rejected";
  queueWaitMs = 0;
  /** What it holds of the memory for bodies; null before a body is read. */
  bodyHold: BodyHold | null = null;
  waiting: Waiting | null = null;
  permit: Permit | null = null;
  /** Reserved with the budgets and to be settled. */
  reserved: Spend | null = null;
  call: RunningCall | null = null;
  endpoint: EndpointRecord | null = null;
  usage: UsageFigures | null = null;
  firstByteAtMs: number | null = null;
  /** When a stream began to say something, comments and pings aside; of other answers the first byte. */
  firstTokenAtMs: number | null = null;
  /** Status sent, or 0 while none has been. */
  statusCode = 0;
  /** True while the client is slower than its answer. */
  isBlocked = false;
  isEnded = false;
  #grantedAfterStalls = 0;
  /** Null while no traces are recorded. */
  trace: RequestTrace | null = null;
  /** Set while an answer may be under way. */
  answering: Answering | null = null;

  readonly protocol: Protocol;
  readonly startedAtMs: number;
  readonly expectsContinue: boolean;

  constructor(
    readonly req: IncomingMessage,
    readonly res: ServerResponse,
    { protocol, startedAtMs, expectsContinue = false }: RequestFacts,
  ) {
    this.protocol = protocol;
    this.startedAtMs = startedAtMs;
    this.expectsContinue = expectsContinue;
  }

  /** What is left to charge for when nothing was reported. */
  get totalTokens(): number {
    return this.usage === null ? this.estimatedTokens : this.usage.inputTokens + this.usage.outputTokens;
  }

  granted(permit: Permit, admission: Pick<Admission, "stalls">): void {
    this.permit = permit;
    this.#grantedAfterStalls = admission.stalls;
  }

  /**
   * Whether the slot may be another gateway's meanwhile; then it is given back here with what was reserved, and both must be
   * asked for again.
   */
  hasLostSlot(admission: Pick<Admission, "stalls">, budgets: Pick<TokenBudgets, "settle">): boolean {
    if (admission.stalls === this.#grantedAfterStalls) return false;
    this.permit?.release();
    this.permit = null;
    if (this.reserved !== null) void budgets.settle(this.reserved, { tokens: 0, costUsd: 0 });
    this.reserved = null;
    return true;
  }

  /**
   * Gives back the slot; harmless when there is none or it is back already. What may still run at the backend is given up
   * before: who gets the slot may be on its way there within this very turn.
   */
  releaseSlot(): void {
    this.call?.abort();
    this.permit?.release(this.usage === null ? undefined : this.totalTokens);
  }

  /** Lets go of what leads to its body: its connection may stay open for long, and with it this object. */
  letGo(): void {
    this.waiting = null;
    this.answering = null;
    this.call = null;
    this.bodyHold?.close();
    this.bodyHold = null;
  }
}
