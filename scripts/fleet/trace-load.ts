/** Sends a trace through gateways, each request at its time, and counts how the answers came. */
import type { Target } from "../../e2e/support/balanced-load";
import type { TracedRequest } from "./seeded-trace";

export interface TraceLoadOptions {
  readonly model: string;
  /** By tenant. */
  readonly secrets: ReadonlyMap<string, string>;
  /** The gateways that a balancer would send to at this moment. */
  readonly targets: () => readonly Target[];
}

/** The backend counts four characters as a token. */
const A_TOKEN = "word";

export class TraceLoad {
  readonly errors: string[] = [];
  answered = 0;
  /** Requests that ended with the gateway that was killed. */
  lost = 0;
  readonly #options: TraceLoadOptions;

  constructor(options: TraceLoadOptions) {
    this.#options = options;
  }

  /** Resolves when every request has been answered or has failed. */
  async send(requests: readonly TracedRequest[]): Promise<void> {
    await Promise.all(
      requests.map(async (request) => {
        await new Promise((resolve) => setTimeout(resolve, request.atMs));
        await this.#ask(request);
      }),
    );
  }

  async #ask({ tenant, dice, promptTokens, answerTokens }: TracedRequest): Promise<void> {
    const targets = this.#options.targets();
    const target = targets[Math.floor(dice * targets.length)];
    if (target === undefined) return;
    try {
      const response = await fetch(`${target.proxyUrl}/v1/chat/completions`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${this.#options.secrets.get(tenant) ?? ""}`,
          "content-type": "application/json",
        },
        body: JSON.stringify({
          model: this.#options.model,
          messages: [{ role: "user", content: A_TOKEN.repeat(promptTokens) }],
          max_tokens: answerTokens,
          ignore_eos: true,
          user: `${target.name} ${tenant}`,
        }),
      });
      const text = await response.text();
      if (response.status === 200) this.answered++;
      else this.#failed(target, `${response.status} ${text}`);
    } catch (error) {
      this.#failed(target, error instanceof Error ? `${error.message} ${String(error.cause ?? "")}` : String(error));
    }
  }

  #failed(target: Target, reason: string): void {
    if (this.#options.targets().includes(target)) this.errors.push(`${target.name}: ${reason}`);
    else this.lost++;
  }
}
