/**
 * The process's log: one JSON line per event, named in dot form. Two nets keep secrets out: fields that are known to
 * hold them are censored by name, and every finished line is searched for key secrets, passwords in addresses and the
 * process's own secrets, whatever field or message they slipped into.
 */
import type { Settings } from "@obleth/config";
import pino, { type Logger } from "pino";

export type Log = Logger;

const CENSORED = ["authorization", "cookie", "password", "secret", "token", "apiKey", "api_key", "headers", "body"];
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
  const hidden = new Set<string>();
  let pattern = patternOf(hidden);
  const hide = (secrets: readonly (string | null)[]) => {
    for (const one of secrets) if (one !== null && one.length >= SHORTEST_SECRET) hidden.add(one);
    pattern = patternOf(hidden);
  };
  hide(options.secrets);
  const log = pino(
    {
      level: options.level,
      base: { instance: options.instance },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      messageKey: "event",
      serializers: { err: shownError },
      redact: { paths: CENSORED.flatMap((name) => [name, `*.${name}`]), censor: HIDDEN },
    },
    { write: (line: string) => write(line.replace(pattern, HIDDEN)) },
  );
  return {
    log,
    hide,
    flush: () => {
      try {
        output?.flushSync();
      } catch {
        // The output is gone or was never ready; there is nobody to tell.
      }
    },
  };
}

/** An error without what a failed statement was given: rows hold hashes and sealed credentials. */
function shownError(error: Error): object {
  const { params: _params, ...shown } = pino.stdSerializers.err(error);
  const withoutParams = (text: string) => text.replace(/\nparams: [^\n]*/g, "");
  return { ...shown, message: withoutParams(shown.message), stack: withoutParams(shown.stack) };
}

/** Key secrets, credentials inside addresses, bearer credentials, and the process's own. */
function patternOf(hidden: ReadonlySet<string>): RegExp {
  const own = [...hidden].sort((a, b) => b.length - a.length).map(escaped);
  const kinds = ["sk_[0-9a-f]{16,}", '(?<=://)[^\\s/@"]+(?=@)', '(?<=[Bb]earer )[^\\s"\\\\]+'];
  return new RegExp([...own, ...kinds].join("|"), "g");
}

/** As it stands inside a JSON string and a regular expression. */
function escaped(secret: string): string {
  return JSON.stringify(secret)
    .slice(1, -1)
    .replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
