import type { WaiterId } from "@obleth/fairshare";
import type { Waiting } from "./admission";
import type { AdmissionOutcome } from "./admission-outcome";

/** One request between `admit` and its answer; settles once, whatever crosses. */
export class WaitingRequest implements Waiting {
  #settle: ((outcome: AdmissionOutcome) => void) | undefined;
  readonly #onCancel: (request: WaitingRequest) => void;

  constructor(
    readonly id: WaiterId,
    readonly arrivedMs: number,
    answer: { settle: (outcome: AdmissionOutcome) => void; onCancel: (request: WaitingRequest) => void },
  ) {
    this.#settle = answer.settle;
    this.#onCancel = answer.onCancel;
  }

  get isSettled(): boolean {
    return this.#settle === undefined;
  }

  /** Hands the outcome to the caller; a second one is dropped. */
  settle(outcome: AdmissionOutcome): void {
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.(outcome);
  }

  cancel(): void {
    if (this.#settle !== undefined) this.#onCancel(this);
  }
}
