/** The simulated backend's control API: the judge of what the gateway let through. */

export interface Level {
  readonly running: number;
  readonly high_water: number;
}

export interface SimulatorState {
  /** The backend's clock, on which its visits are told. */
  readonly now_ms: number;
  readonly total: Level;
  readonly models: Readonly<Record<string, Level>>;
  readonly markers: Readonly<Record<string, Level & { requests: number }>>;
  readonly completed: number;
  readonly failed: number;
  readonly aborted: number;
}

/** A request as the backend saw it; the last thousand are remembered. */
interface VisitRecord {
  readonly id: number;
  readonly model: string;
  readonly marker: string;
  readonly started_ms: number;
  readonly ended_ms: number | null;
}

export class Simulator {
  constructor(readonly url: string) {}

  state(): Promise<SimulatorState> {
    return this.#call("GET", "state");
  }

  async visits(): Promise<readonly VisitRecord[]> {
    return (await this.#call<{ visits: VisitRecord[] }>("GET", "visits")).visits;
  }

  /** Counters start again; scripted faults and caches are forgotten. */
  reset(): Promise<SimulatorState> {
    return this.#call("POST", "reset");
  }

  /** Changes settings such as `speed` or `decode_tokens_per_sec`. */
  set(settings: Readonly<Record<string, number>>): Promise<SimulatorState> {
    return this.#call("POST", "settings", settings);
  }

  /** Scripts a failure for coming requests, such as `{kind: "reset", after_chunks: 3, times: 2}`. */
  fail(fault: Readonly<Record<string, unknown>>): Promise<unknown> {
    return this.#call("POST", "faults", fault);
  }

  async #call<T>(method: string, route: string, body?: unknown): Promise<T> {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
    const response = await fetch(`${this.url}/control/${route}`, init);
    if (!response.ok) throw new Error(`${method} /control/${route}: ${await response.text()}`);
    return (await response.json()) as T;
  }
}
