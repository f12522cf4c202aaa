/** Parts that run and must be stopped, latest first: at a shutdown, and when a later part cannot start. */
export interface StopStep {
  readonly name: string;
  readonly run: () => Promise<void> | void;
}

export class Started {
  readonly #steps: StopStep[] = [];

  push(name: string, run: StopStep["run"]): void {
    this.#steps.unshift({ name, run });
  }

  /** In the order of stopping. */
  get steps(): readonly StopStep[] {
    return this.#steps;
  }

  /** Stops everything that was started, whatever fails on the way. */
  async undo(): Promise<void> {
    for (const { run } of this.#steps) {
      try {
        await run();
      } catch {
        // The error that made us undo is the one worth telling.
      }
    }
  }
}
