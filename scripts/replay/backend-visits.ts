/** The simulated backend's own record of who was there from when to when. */
import type { Stay } from "./slots-held";

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

  /** Finished requests to `model`, on this process's clock (within the time of one loopback call). */
  async stays(model: string): Promise<Stay[]> {
    const before = performance.now();
    const { now_ms } = (await this.#call("GET", "state")) as { now_ms: number };
    const offset = (before + performance.now()) / 2 - now_ms;
    const { visits } = (await this.#call("GET", "visits")) as { visits: Visit[] };
    return visits
      .filter((visit) => visit.model === model)
      .map((visit) => ({
        tenant: visit.marker,
        fromMs: visit.started_ms + offset,
        toMs: (visit.ended_ms ?? now_ms) + offset,
      }));
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
