/** Everything the simulated backend saw since the log began: who was there from when to when, on the wall clock. */
import type { Simulator } from "./simulator";

export interface Visit {
  /** What the client named itself: here the gateway it asked. */
  readonly marker: string;
  readonly fromMs: number;
  /** Infinity: still there. */
  readonly toMs: number;
}

/** The backend remembers a thousand visits; between two looks fewer may pass. */
const LOOK_MS = 2000;

export class VisitLog {
  readonly #visits = new Map<number, Visit>();
  readonly #timer: NodeJS.Timeout;

  private constructor(
    private readonly simulator: Simulator,
    private readonly model: string,
    /** Wall clock minus the backend's own. */
    private readonly offsetMs: number,
  ) {
    // A look that fails is made up for by the next one, or fails the test that asks for the visits.
    this.#timer = setInterval(() => void this.#look().catch(() => undefined), LOOK_MS);
  }

  static async begin(simulator: Simulator, model: string): Promise<VisitLog> {
    await simulator.reset();
    return new VisitLog(simulator, model, await offsetOf(simulator));
  }

  /** All visits so far, by their beginning. */
  async visits(): Promise<Visit[]> {
    await this.#look();
    return [...this.#visits.values()].sort((a, b) => a.fromMs - b.fromMs);
  }

  end(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    for (const { id, model, marker, started_ms, ended_ms } of await this.simulator.visits()) {
      if (model !== this.model) continue;
      const toMs = ended_ms === null ? Number.POSITIVE_INFINITY : ended_ms + this.offsetMs;
      this.#visits.set(id, { marker, fromMs: started_ms + this.offsetMs, toMs });
    }
  }
}

/** By the quickest of a few answers: the clocks are compared to within half of what it took. */
async function offsetOf(simulator: Simulator): Promise<number> {
  let best = { tookMs: Number.POSITIVE_INFINITY, offsetMs: 0 };
  for (let i = 0; i < 5; i++) {
    const before = performance.now();
    const { now_ms } = await simulator.state();
    const tookMs = performance.now() - before;
    if (tookMs < best.tookMs) best = { tookMs, offsetMs: performance.timeOrigin + before + tookMs / 2 - now_ms };
  }
  return best.offsetMs;
}
