/**
 * Scripted failures. A fault is queued for the next requests of one model or of all, or rides along in the body of a
 * single request (`sim_fault`), so that tests running side by side do not catch each other's.
 */
import { type Checked, isRecord } from "./json";

export type Fault =
  /** Answers with this status and body instead of working. */
  | {
      readonly kind: "status";
      readonly status: number;
      readonly body: string;
      readonly headers: Record<string, string>;
    }
  /** Breaks the connection after so many events; 0 before any byte. */
  | { readonly kind: "reset"; readonly afterChunks: number }
  /** Ends the response tidily after so many events, without the protocol's own end marker. */
  | { readonly kind: "close"; readonly afterChunks: number }
  /** Sends so many events, then nothing more, and keeps the connection open. */
  | { readonly kind: "stall"; readonly afterChunks: number }
  /** Accepts the request and never answers. */
  | { readonly kind: "hang" }
  /** Waits this long before starting to work. Not scaled by `speed`. */
  | { readonly kind: "slow"; readonly delayMs: number }
  /** An answer of exactly so many tokens, this far apart. Not scaled by `speed`. */
  | { readonly kind: "drip"; readonly chunks: number; readonly gapMs: number }
  /** 200 and the right content type, but a body that is not the protocol. */
  | { readonly kind: "garbage" };

interface Scripted {
  readonly fault: Fault;
  /** null: any model. */
  readonly model: string | null;
  /** Requests still to be hit; Infinity until cleared. */
  times: number;
}

/** More entries than any test needs; the control API refuses further ones. */
const MAX_SCRIPTED = 1000;

export class FaultScript {
  #queue: Scripted[] = [];

  get size(): number {
    return this.#queue.length;
  }

  /** Adds what the control API was sent: `{kind, ..., model?, times?}`; `times` 0 means until cleared. */
  add(input: unknown): Checked<null> {
    const fault = readFault(input);
    if (!fault.ok) return fault;
    const { model = null, times = 1 } = isRecord(input) ? input : {};
    if (model !== null && typeof model !== "string") return { ok: false, problem: "model must be a string" };
    if (typeof times !== "number" || !Number.isInteger(times) || times < 0) {
      return { ok: false, problem: "times must be a whole number, 0 for always" };
    }
    if (this.#queue.length >= MAX_SCRIPTED) return { ok: false, problem: "too many scripted faults" };
    this.#queue.push({ fault: fault.value, model, times: times === 0 ? Number.POSITIVE_INFINITY : times });
    return { ok: true, value: null };
  }

  /** The fault the next request of `model` meets, taken off the script. */
  take(model: string): Fault | undefined {
    const scripted = this.#queue.find((one) => one.model === null || one.model === model);
    if (scripted === undefined) return undefined;
    scripted.times--;
    if (scripted.times <= 0) this.#queue = this.#queue.filter((one) => one !== scripted);
    return scripted.fault;
  }

  clear(): void {
    this.#queue = [];
  }
}

/** Reads a fault from JSON; snake_case names, every missing number 0. */
export function readFault(input: unknown): Checked<Fault> {
  if (!isRecord(input)) return { ok: false, problem: "a fault must be an object with a kind" };
  const whole = (name: string): number => (Number.isInteger(input[name]) ? Math.max(0, Number(input[name])) : 0);
  switch (input.kind) {
    case "status":
      return readStatusFault(input, whole("status"));
    case "reset":
    case "close":
    case "stall":
      return { ok: true, value: { kind: input.kind, afterChunks: whole("after_chunks") } };
    case "hang":
    case "garbage":
      return { ok: true, value: { kind: input.kind } };
    case "slow":
      return { ok: true, value: { kind: "slow", delayMs: whole("delay_ms") } };
    case "drip":
      return { ok: true, value: { kind: "drip", chunks: whole("chunks"), gapMs: whole("gap_ms") } };
    default:
      return { ok: false, problem: "kind must be status, reset, close, stall, hang, slow, drip or garbage" };
  }
}

function readStatusFault(input: Record<string, unknown>, status: number): Checked<Fault> {
  if (status < 200 || status > 599) return { ok: false, problem: "status must be from 200 to 599" };
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(isRecord(input.headers) ? input.headers : {}))
    headers[name] = String(value);
  const body = typeof input.body === "string" ? input.body : JSON.stringify({ error: { message: "scripted failure" } });
  return { ok: true, value: { kind: "status", status, body, headers } };
}
