/**
 * The line of operations on their way to the books. Gathers what one tick asks for into one call, keeps a few calls
 * outstanding, watches their deadline, and can be stopped so that a heartbeat finds nothing in flight: only then is it
 * known for certain what this replica holds.
 */
import type { Clock } from "@obleth/clock";
import type { BatchAnswer, SlotAnswer, SlotOperation, SlotStore, StoreResult } from "./slot-store";

/** Operations of one call: bounds how long one script keeps Redis busy (about half a millisecond). */
const MAX_OPERATIONS = 200;
/** Calls outstanding at most: bounds what a slow store is sent. */
const MAX_OUTSTANDING = 4;
/**
 * Operations that are worth another call while one is on its way. A call costs as much as about eight operations, so
 * four times that keeps its cost small beside theirs.
 */
const FULL_CALL = 32;
/** Age of the last call, ms, from which another is sent however few operations wait: claims wait no longer for more. */
const SOON_MS = 2;

/** Takes an operation's answer, or `failed` when nobody will know it. */
export type Settle = (answer: SlotAnswer | "failed") => void;

/** What a line is made with. */
export interface OperationLineOptions {
  readonly store: SlotStore;
  readonly clock: Clock;
  readonly instance: string;
  readonly timeoutMs: number;
  /** Runs later in the same turn of the event loop, after what has come in is read. */
  readonly defer: (run: () => void) => void;
  /** What an answer grants means nothing any more: the replica was taken off the books meanwhile. */
  readonly isVoid: () => boolean;
  /** A call was answered; before its operations settle. */
  readonly onAnswer: (answer: Pick<DoneAnswer, "nowMs" | "lostHolds">) => void;
  /** A call failed, came too late, or found this replica unregistered. Must call `abandon`. */
  readonly onFailure: (reason: "timeout" | "error" | "unregistered", error: unknown, latencyMs: number) => void;
}

/** The answer to a call that ran. */
type DoneAnswer = Extract<BatchAnswer, { kind: "done" }>;

/** One operation, and who waits for its answer. */
interface Queued {
  readonly operation: SlotOperation;
  readonly settle: Settle;
}

/** One call that was sent. `isOver`: it was answered or given up, and an answer that still comes means nothing. */
interface Call {
  readonly operations: readonly Queued[];
  readonly sentAtMs: number;
  isOver: boolean;
}

/** One replica's line: operations go out in the order they came, and settle in it. */
export class OperationLine {
  readonly #options: OperationLineOptions;
  #queued: Queued[] = [];
  readonly #calls = new Set<Call>();
  #epoch = 0;
  #lastSentMs = 0;
  #isFlushDue = false;
  #isStopped = false;
  #whenIdle: (() => void) | undefined;

  constructor(options: OperationLineOptions) {
    this.#options = options;
  }

  /** Calls sent and not answered yet. */
  get outstanding(): number {
    return this.#calls.size;
  }

  /** Nothing is queued or outstanding: the books and the scheduler must agree. */
  get isEmpty(): boolean {
    return this.#queued.length === 0 && this.#calls.size === 0;
  }

  /** Adds one operation to the next call. `settle` is called once: with its answer, or `failed` when abandoned. */
  push(operation: SlotOperation, settle: Settle): void {
    this.#queued.push({ operation, settle });
    this.#flushSoon();
  }

  /** Sends nothing more; calls `whenIdle` once every outstanding call is answered, at once when none is. */
  stop(whenIdle: () => void): void {
    this.#isStopped = true;
    if (this.#calls.size === 0) whenIdle();
    else this.#whenIdle = whenIdle;
  }

  /** Sends again, what gathered meanwhile first. Calls carry this epoch from here on. */
  resume(epoch: number): void {
    this.#epoch = epoch;
    this.#isStopped = false;
    this.#flush();
  }

  /**
   * Gives up all that is queued or outstanding, and stops. Each operation settles as `failed`; answers that still come
   * are ignored, and what such a call did to the books is undone by the reconcile of a later epoch.
   */
  abandon(): void {
    this.#isStopped = true;
    this.#whenIdle = undefined;
    const failed = [...this.#calls].flatMap((call) => call.operations).concat(this.#queued);
    for (const call of this.#calls) call.isOver = true;
    this.#calls.clear();
    this.#queued = [];
    for (const { settle } of failed) settle("failed");
  }

  /** Sends at the end of this turn of the event loop, so that what comes in the same turn shares a call. */
  #flushSoon(): void {
    if (this.#isFlushDue || this.#isStopped) return;
    this.#isFlushDue = true;
    this.#options.defer(() => {
      this.#isFlushDue = false;
      this.#flush();
    });
  }

  /** Sends what waits, as far as it is worth a call. Bounded: each round takes operations out. */
  #flush(): void {
    while (!this.#isStopped && this.#queued.length > 0 && this.#isWorthACall()) {
      this.#send(this.#queued.splice(0, MAX_OPERATIONS));
    }
  }

  /** Whether what waits should go out although other calls have no answer yet; always when none is out. */
  #isWorthACall(): boolean {
    if (this.#calls.size === 0) return true;
    if (this.#calls.size >= MAX_OUTSTANDING) return false;
    return this.#queued.length >= FULL_CALL || this.#options.clock.monotonicMs() - this.#lastSentMs >= SOON_MS;
  }

  /** Sends one call and watches its deadline; only a call that is not over yet may fail or be answered. */
  #send(operations: readonly Queued[]): void {
    const { store, clock, instance, timeoutMs, defer, onFailure } = this.#options;
    const call: Call = { operations, sentAtMs: clock.monotonicMs(), isOver: false };
    this.#calls.add(call);
    this.#lastSentMs = call.sentAtMs;
    const timer = clock.setTimer(timeoutMs, () => {
      // After a stall of this process its timers run before it reads what has come in long since.
      defer(() => {
        if (!call.isOver) onFailure("timeout", undefined, timeoutMs);
      });
    });
    const batch = { instance, epoch: this.#epoch, operations: operations.map(({ operation }) => operation) };
    store.run(batch, (result) => {
      timer.cancel();
      if (!call.isOver) this.#answered(call, result);
    });
  }

  /**
   * An answer came in time. One that grants nothing for certain (an error, another epoch, a replica that may have
   * expired meanwhile) is a failure of the line; else each operation settles, and what waited behind the call goes on.
   */
  #answered(call: Call, result: StoreResult<BatchAnswer>): void {
    const latencyMs = this.#options.clock.monotonicMs() - call.sentAtMs;
    if (!result.ok || result.answer.kind === "unregistered" || this.#options.isVoid()) {
      this.#options.onFailure(result.ok ? "unregistered" : "error", result.ok ? undefined : result.error, latencyMs);
      return;
    }
    const { answer } = result;
    call.isOver = true;
    this.#calls.delete(call);
    this.#options.onAnswer(answer);
    for (const [i, { settle }] of call.operations.entries()) settle(answer.answers[i] ?? "failed");
    if (this.#calls.size === 0 && this.#whenIdle !== undefined) {
      const whenIdle = this.#whenIdle;
      this.#whenIdle = undefined;
      whenIdle();
    }
    this.#flush();
  }
}
