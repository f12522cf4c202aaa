/** Clients that keep a pool full: each sends, reads the whole answer and sends again until stopped. */
import { setMaxListeners } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import OpenAI from "openai";

/** Of a client between an error and its next request. */
const PAUSE_MS = 100;

export interface LoadOptions {
  readonly url: string;
  readonly secret: string;
  readonly model: string;
  readonly clients: number;
  readonly answerTokens?: number;
  /** What the simulated backend counts the requests under. */
  readonly marker?: string;
}

export interface Load {
  /** Answers read to their end so far. */
  readonly answered: () => number;
  /** Errors other than our own stopping. */
  readonly errors: readonly unknown[];
  /** Breaks off what runs and waits until every client has ended. */
  stop(): Promise<void>;
}

export function startLoad(options: LoadOptions): Load {
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  const errors: unknown[] = [];
  let answers = 0;
  const openai = new OpenAI({ baseURL: `${options.url}/v1`, apiKey: options.secret, maxRetries: 0, timeout: 120_000 });
  const client = async (number: number) => {
    for (let i = 0; !stopping.signal.aborted; i++) {
      try {
        await openai.chat.completions.create(
          {
            model: options.model,
            messages: [{ role: "user", content: `Request ${i} of client ${number}` }],
            max_tokens: options.answerTokens ?? 20,
            user: options.marker ?? "load",
            ...{ ignore_eos: true },
          },
          { signal: stopping.signal },
        );
        answers++;
      } catch (error) {
        if (stopping.signal.aborted) return;
        errors.push(error);
        // A server that is gone refuses at once; asking it without a pause would take the machine from everybody else.
        await pause(PAUSE_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    }
  };
  const clients = Array.from({ length: options.clients }, (_, number) => client(number));
  return {
    answered: () => answers,
    errors,
    async stop() {
      stopping.abort();
      await Promise.all(clients);
    },
  };
}
