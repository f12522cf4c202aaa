/** The simulated backend's own record of who was there from when to when. */
import type { Period } from "./slots-held";

interface Visit {
  readonly model: string;
  readonly marker: string;
  readonly started_ms: number;
  readonly ended_ms: number | null;
}

export class BackendRecord {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** Changes how fast the backend works; returns the speed before. */
  async setSpeed(speed: number): Promise<number> {
    const { settings } = (await this.#call("GET", "state")) as { settings: { speed: number } };
    await this.#call("POST", "settings", { speed });
    return settings.speed;
  }

  async reset(): Promise<void> {
    await this.#call("POST", "reset");
  }

  /** When each request to `model` was there, by its marker. Times are the backend's own. */
  async visits(model: string): Promise<ReadonlyMap<string, Period>> {
    const { visits } = (await this.#call("GET", "visits")) as { visits: Visit[] };
    return new Map(
      visits
        .filter((visit) => visit.model === model && visit.ended_ms !== null)
        .map((visit) => [visit.marker, { fromMs: visit.started_ms, toMs: visit.ended_ms ?? 0 }]),
    );
  }

  /** Most requests that were ever there together since the last reset. */
  async highWater(model: string): Promise<number> {
    const { models } = (await this.#call("GET", "state")) as { models: Record<string, { high_water: number }> };
    return models[model]?.high_water ?? 0;
  }

  async #call(method: string, route: string, body?: unknown): Promise<unknown> {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
    const response = await fetch(`${this.#url}/control/${route}`, init);
    if (!response.ok) throw new Error(`the simulated backend refused ${route}: ${await response.text()}`);
    return response.json();
  }
}
