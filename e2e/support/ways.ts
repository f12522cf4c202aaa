/**
 * How long a request can have been on its way through this machine, as busy as it was: measured by questions to each
 * gateway and to the backend, of which to each of them one is under way, or about to be, while a record is kept.
 */
import type { Outage, Stall } from "./limit-trial";

/** From an answer to the next question to the same program. */
const PAUSE_MS = 50;
const BACKEND = "";

export interface Asked {
  /** By name. */
  readonly gateways: ReadonlyMap<string, string>;
  readonly backend: string;
}

export class Ways {
  readonly #took = new Map<string, Outage[]>();
  readonly #underWay = new Set<string>();
  readonly #timer: NodeJS.Timeout;

  /** Asks these addresses until `end`. */
  constructor(asked: () => Asked) {
    this.#timer = setInterval(() => {
      const { gateways, backend } = asked();
      for (const [name, url] of [...gateways, [BACKEND, backend] as const]) {
        if (!this.#underWay.has(name)) void this.#ask(name, url);
      }
    }, PAUSE_MS);
  }

  end(): void {
    clearInterval(this.#timer);
  }

  /** The longest from what a gateway decides to the backend, ms: the ways to both. `stalls` were made and do not count. */
  longestMs(stalls: readonly Stall[] = []): number {
    const longest = { gateway: 0, backend: 0 };
    for (const [name, questions] of this.#took) {
      const own = stalls.filter(({ marker }) => marker === name);
      const which = name === BACKEND ? "backend" : "gateway";
      for (const question of questions) {
        if (!own.some((stall) => isDuring(question, stall)))
          longest[which] = Math.max(longest[which], question.toMs - question.fromMs);
      }
    }
    return longest.gateway + longest.backend + 2 * PAUSE_MS;
  }

  /** Who does not answer is not counted. */
  async #ask(name: string, url: string): Promise<void> {
    this.#underWay.add(name);
    const fromMs = Date.now();
    const isAnswered = await fetch(url)
      .then((response) => response.arrayBuffer())
      .then(
        () => true,
        () => false,
      );
    this.#underWay.delete(name);
    const took = this.#took.get(name) ?? [];
    if (isAnswered) took.push({ fromMs, toMs: Date.now() });
    this.#took.set(name, took);
  }
}

const isDuring = (one: Outage, other: Outage) => one.fromMs <= other.toMs && one.toMs >= other.fromMs;
