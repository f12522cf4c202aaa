/** What the two protocols have in common, so that the serving loop knows neither. */
import type { Checked } from "../json";

/** What a caller wants. */
export interface Ask {
  readonly model: string;
  /** Everything the model reads, flattened; equal beginnings share the prefix cache. */
  readonly prompt: string;
  readonly isStream: boolean;
  /** Most answer tokens; null when the caller set none. */
  readonly limit: number | null;
  /** Write exactly `limit` tokens, as `ignore_eos` asks of real servers. */
  readonly isExact: boolean;
  readonly marker: string;
  /** The caller wants the usage event of a stream. */
  readonly wantsUsage: boolean;
  /** A tool the caller obliges the model to call; its arguments become the answer. */
  readonly tool: { readonly name: string; readonly argumentsJson: string } | null;
}

/** What is known of an answer while and after it is written. */
export interface Reply {
  readonly id: string;
  readonly ask: Ask;
  readonly createdSecs: number;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  outputTokens: number;
  readonly isCut: boolean;
}

export interface Dialect {
  read(body: Record<string, unknown>): Checked<Ask>;
  /** The body of an answer that is not streamed. */
  whole(reply: Reply, text: string): unknown;
  /** Events before the first token. */
  opening(reply: Reply): string;
  /** The event that carries one token. */
  piece(reply: Reply, text: string): string;
  /** Events after the last token, end marker included. */
  closing(reply: Reply): string;
  problem(status: number, message: string): unknown;
}
