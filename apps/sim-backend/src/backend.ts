/** The state of one simulated backend: settings, counters, scripted faults and what each model's prefix cache holds. */
import { Census } from "./census";
import { FaultScript } from "./faults";
import { type Pace, realPace } from "./pace";
import { PrefixCache } from "./prefix-cache";
import type { Settings, StartOptions } from "./settings";

/** Made-up model names beyond this many share one cache, so that they cannot fill the memory. */
const MAX_CACHES = 100;

export class Backend {
  settings: Settings;
  readonly models: readonly string[];
  readonly apiKey: string | null;
  readonly pace: Pace;
  readonly census: Census;
  readonly faults = new FaultScript();
  readonly #caches = new Map<string, PrefixCache>();

  constructor(options: Pick<StartOptions, "models" | "apiKey" | "settings">, pace: Pace = realPace) {
    this.settings = options.settings;
    this.models = options.models;
    this.apiKey = options.apiKey;
    this.pace = pace;
    this.census = new Census(() => pace.nowMs());
  }

  /** The prefix cache of `model`: each model is a machine of its own. */
  cacheOf(model: string): PrefixCache {
    const name = this.#caches.has(model) || this.#caches.size < MAX_CACHES ? model : "";
    const found = this.#caches.get(name);
    if (found !== undefined) return found;
    const made = new PrefixCache();
    this.#caches.set(name, made);
    return made;
  }

  change(settings: Settings): void {
    this.settings = settings;
    for (const cache of this.#caches.values()) cache.shrink(settings.cacheTokens);
  }

  /** As freshly started, except for the settings and for requests still running. */
  reset(): void {
    this.census.reset();
    this.faults.clear();
    this.#caches.clear();
  }
}
