/**
 * Answers of the live state, made, serialised and compressed once per state, whoever asks. A state is made anew when
 * it is asked for and the last one is old; how old depends on what making it cost, so that any number of pollers
 * spends a bounded part of the processor on it.
 */
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { Clock } from "@obleth/clock";
import type { FairshareLive, LiveQuery } from "@obleth/contract";
import { type LiveSources, liveState } from "./live-state";
import type { Moment } from "./moment";

export interface LiveAnswer {
  readonly state: FairshareLive;
  /** Strong, in quotes, over everything but `ts_ms` and `state_age_ms`. */
  readonly etag: string;
  readonly json: () => Uint8Array<ArrayBuffer>;
  readonly gzip: () => Uint8Array<ArrayBuffer>;
}

export interface LiveOptions {
  readonly moment: () => Moment;
  readonly sources: LiveSources;
  readonly clock: Clock;
}

/** An answer is reused for this many times what it cost to make: at most a tenth of one core goes into answers. */
const REUSE_PER_COST = 9;
/** Nobody sees a state older than this. */
const MAX_REUSE_MS = 500;
/** Different questions remembered; each pool's page asks its own. */
const MAX_QUESTIONS = 256;
/** Level 6 makes answers 6 % smaller for nearly twice the time, and they are made twice a second. */
const GZIP_LEVEL = 3;

interface Kept {
  readonly answer: LiveAnswer;
  readonly untilMs: number;
}

export class LiveAnswers {
  readonly #options: LiveOptions;
  readonly #kept = new Map<string, Kept>();

  constructor(options: LiveOptions) {
    this.#options = options;
  }

  answer(query: LiveQuery): LiveAnswer {
    const { clock } = this.#options;
    const question = JSON.stringify([query.fields, query.pool ?? null]);
    const startMs = clock.monotonicMs();
    const kept = this.#kept.get(question);
    if (kept !== undefined && startMs < kept.untilMs) return kept.answer;
    const answer = makeAnswer(this.#options, query);
    const nowMs = clock.monotonicMs();
    if (this.#kept.size >= MAX_QUESTIONS) this.#kept.clear();
    this.#kept.set(question, { answer, untilMs: nowMs + Math.min(MAX_REUSE_MS, (nowMs - startMs) * REUSE_PER_COST) });
    return answer;
  }
}

function makeAnswer({ moment, sources }: LiveOptions, query: LiveQuery): LiveAnswer {
  const now = moment();
  const timeless = liveState(now, query, sources);
  const serialised = JSON.stringify(timeless);
  const etag = `"${createHash("sha1").update(serialised).digest("base64url")}"`;
  const times = { ts_ms: now.tsMs, state_age_ms: Math.round(now.stateAgeMs) };
  const json = once(() => {
    const text = `${JSON.stringify(times).slice(0, -1)},${serialised.slice(1)}`;
    return new Uint8Array(Buffer.from(text));
  });
  return { state: { ...timeless, ...times }, etag, json, gzip: once(() => compressed(json())) };
}

function compressed(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return new Uint8Array(gzipSync(bytes, { level: GZIP_LEVEL }));
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
