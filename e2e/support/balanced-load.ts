/**
 * Clients behind a load balancer: each sends, reads its answer and sends again, every request to the next gateway in
 * turn. One that a gateway on its way out asks to come again later goes to another one, as SDKs do. What was under way at
 * a gateway that was killed fails; nothing else may.
 */
export interface Target {
  readonly name: string;
  readonly proxyUrl: string;
}

export interface BalancedLoadOptions {
  readonly secret: string;
  readonly model: string;
  readonly clients: number;
  /** Tokens of the next answer; the backend takes as long as they last. */
  readonly answerTokens: () => number;
  /** Whose next step a request is; null for nobody's. */
  readonly session?: () => string | null;
  /** Pause of a client between two requests, ms. */
  readonly thinkMs?: () => number;
}

export class BalancedLoad {
  readonly errors: string[] = [];
  answered = 0;
  /** Requests of gateways that were taken out, which failed with them. */
  lost = 0;
  /** How long each answered request waited for its slot, as its gateway says, ms. */
  readonly waitsMs: number[] = [];
  readonly #options: BalancedLoadOptions;
  #targets: readonly Target[];
  #turn = 0;
  #isStopping = false;
  readonly #clients: Promise<void>[];

  constructor(targets: readonly Target[], options: BalancedLoadOptions) {
    this.#options = options;
    this.#targets = targets;
    this.#clients = Array.from({ length: options.clients }, () => this.#client());
  }

  /** Sends to these from now on, as a balancer whose health checks changed. */
  setTargets(targets: readonly Target[]): void {
    this.#targets = targets;
  }

  /** Lets every client read its last answer. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#clients);
  }

  async #client(): Promise<void> {
    while (!this.#isStopping) {
      const target = this.#targets[this.#turn++ % this.#targets.length];
      if (target === undefined) return;
      await this.#ask(target);
      await pause(this.#options.thinkMs?.() ?? 0);
    }
  }

  async #ask(target: Target): Promise<void> {
    const { secret, model, answerTokens, session } = this.#options;
    const name = session?.() ?? null;
    try {
      const response = await fetch(`${target.proxyUrl}/v1/chat/completions`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${secret}`,
          "content-type": "application/json",
          ...(name === null ? {} : { "x-session-id": name }),
        },
        body: JSON.stringify({
          model,
          messages: [{ role: "user", content: "How many slots has this pool?" }],
          max_tokens: Math.max(1, Math.round(answerTokens())),
          ignore_eos: true,
          user: target.name,
        }),
      });
      const text = await response.text();
      if (response.status === 200) {
        this.answered++;
        this.waitsMs.push(Number(response.headers.get("x-obleth-queue-wait-ms") ?? Number.NaN));
      } else if (response.status === 503 && response.headers.has("retry-after") && !this.#isInTurn(target)) return;
      else this.#failed(target, `${response.status} ${text}`);
    } catch (error) {
      this.#failed(target, error instanceof Error ? `${error.message} ${String(error.cause ?? "")}` : String(error));
      await pause(50);
    }
  }

  #isInTurn(target: Target): boolean {
    return this.#targets.includes(target);
  }

  #failed(target: Target, reason: string): void {
    if (this.#isInTurn(target)) this.errors.push(`${target.name}: ${reason}`);
    else this.lost++;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
