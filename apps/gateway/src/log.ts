/**
 * The process's log: one JSON line per event, named in dot form. Every finished line is searched for secrets, whatever
 * field or message they slipped into: fields known to hold them, keys, passwords in addresses, bearer credentials and
 * the process's own secrets. A line without a trace of any, which is nearly every line, costs a few substring searches.
 */
import type { Settings } from "@obleth/config";
import pino, { type Logger } from "pino";

export type Log = Logger;

/** Fields whose values are never shown, at any depth. */
const CENSORED = ["authorization", "cookie", "password", "secret", "token", "apiKey", "api_key", "headers", "body"];
/** One search that finds a line worth a closer look: a censored field, or what every pattern below has in it. */
const SUSPICIOUS = new RegExp(`"(?:${CENSORED.join("|")})":|sk_|://|earer `);
/** Key secrets, credentials inside addresses, bearer credentials. */
const PATTERNS = /sk_[0-9a-f]{16,}|(?<=:\/\/)[^\s/@"]+(?=@)|(?<=[Bb]earer )[^\s"\\]+/g;
const HIDDEN = "[hidden]";
/** Shorter values would hide half the alphabet. */
const SHORTEST_SECRET = 8;

export interface LogOptions {
  readonly level: Settings["logLevel"];
  readonly instance: string;
  /** Values that must never appear, such as tokens and passwords. */
  readonly secrets: readonly (string | null)[];
  /** Takes finished lines; the process's output when left out. */
  readonly write?: (line: string) => void;
}

export interface LogHandle {
  readonly log: Log;
  /** Adds values that must not appear from here on. */
  hide(secrets: readonly string[]): void;
  /** Writes out what is buffered; for the end of the process. */
  flush(): void;
}

export function makeLog(options: LogOptions): LogHandle {
  const output = options.write === undefined ? pino.destination({ dest: 1, sync: false }) : undefined;
  const write = options.write ?? ((line: string) => output?.write(line));
  const hidden = new HiddenWords(options.secrets);
  const log = pino(
    {
      level: options.level,
      base: { instance: options.instance },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      messageKey: "event",
      serializers: { err: shownError },
    },
    { write: (line: string) => write(hidden.hideIn(line)) },
  );
  return {
    log,
    hide: (secrets) => hidden.add(secrets),
    flush: () => {
      try {
        output?.flushSync();
      } catch {
        // The output is gone or was never ready; there is nobody to tell.
      }
    },
  };
}

class HiddenWords {
  /** As they stand inside a JSON string, longest first. */
  #words: readonly string[] = [];
  /** All of them in one search; one expression is a tenth of the cost of looking for each. */
  #pattern: RegExp | null = null;

  constructor(secrets: readonly (string | null)[]) {
    this.add(secrets);
  }

  add(secrets: readonly (string | null)[]): void {
    const words = secrets.flatMap((one) => (one === null || one.length < SHORTEST_SECRET ? [] : [inJson(one)]));
    this.#words = [...new Set([...this.#words, ...words])].sort((a, b) => b.length - a.length);
    this.#pattern = this.#words.length === 0 ? null : new RegExp(this.#words.map(literally).join("|"), "g");
  }

  /** The line, with every secret replaced. */
  hideIn(line: string): string {
    const shown = SUSPICIOUS.test(line) ? censored(line).replace(PATTERNS, HIDDEN) : line;
    return this.#pattern === null ? shown : shown.replace(this.#pattern, HIDDEN);
  }
}

/** The line with the values of censored fields replaced, however deep. */
function censored(line: string): string {
  const fields: unknown = JSON.parse(line, (name, value: unknown) => (CENSORED.includes(name) ? HIDDEN : value));
  return `${JSON.stringify(fields)}\n`;
}

/** An error without what a failed statement was given: rows hold hashes and sealed credentials. */
function shownError(error: Error): object {
  const { params: _params, ...shown } = pino.stdSerializers.err(error);
  const withoutParams = (text: string) => text.replace(/\nparams: [^\n]*/g, "");
  return { ...shown, message: withoutParams(shown.message), stack: withoutParams(shown.stack) };
}

function inJson(secret: string): string {
  return JSON.stringify(secret).slice(1, -1);
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
