/** How a command ends when it does not succeed: one message, what to do about it, and the exit code scripts rely on. */
import { ApiError } from "@obleth/contract/client";

export const EXIT = {
  ok: 0,
  /** The gateway refused, or something else went wrong. */
  failed: 1,
  /** The command was written wrongly; nothing was asked of the gateway. */
  usage: 2,
  unreachable: 3,
  /** Somebody else's change is in the way, or the state does not allow it. */
  conflict: 4,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** What a command that fails says besides its message. */
export interface Ending {
  readonly exitCode?: ExitCode;
  /** What to do about it. */
  readonly hint?: string | null;
  /** For scripts; `usage` and `failed` where it is left out. */
  readonly code?: string;
}

/** Ends the command. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly exitCode: ExitCode;
  readonly hint: string | null;
  readonly code: string;

  constructor(message: string, { exitCode = EXIT.failed, hint = null, code }: Ending = {}) {
    super(message);
    this.exitCode = exitCode;
    this.hint = hint;
    this.code = code ?? (exitCode === EXIT.usage ? "usage" : "failed");
  }
}

export function usageError(message: string, hint: string | null = null): CommandError {
  return new CommandError(message, { exitCode: EXIT.usage, hint });
}

export interface Failure {
  readonly exitCode: ExitCode;
  readonly message: string;
  readonly hint: string | null;
  /** The API's code, or `usage`, `failed`. */
  readonly code: string;
  readonly field: string | null;
  readonly requestId: string | null;
}

/** Where the call went, for messages that name it. */
export interface CallPlace {
  readonly url: string;
  readonly hasToken: boolean;
}

export function failureOf(error: unknown, place: CallPlace | null): Failure {
  if (error instanceof CommandError) {
    const { exitCode, message, hint, code } = error;
    return { ...PLAIN, exitCode, message, hint, code };
  }
  if (error instanceof ApiError) return ofApi(error, place);
  if (error instanceof Error && error.name === "TimeoutError") {
    const message = `${place?.url ?? "The gateway"} did not answer in time.`;
    return { ...PLAIN, exitCode: EXIT.unreachable, message, hint: "Look at the gateway's log.", code: "unreachable" };
  }
  return { ...PLAIN, message: error instanceof Error ? error.message : String(error) };
}

const PLAIN: Failure = {
  exitCode: EXIT.failed,
  message: "",
  hint: null,
  code: "failed",
  field: null,
  requestId: null,
};

function ofApi(error: ApiError, place: CallPlace | null): Failure {
  const { status, code, field, requestId, retryAfterSecs } = error.details;
  const base = { ...PLAIN, code, field, requestId };
  const url = place?.url ?? "the gateway";
  if (code === "unreachable") {
    const message = `Cannot reach the gateway at ${url}${causeOf(error)}.`;
    const hint = "Start one with `obleth start`, or name another with --url or OBLETH_MANAGEMENT_URL.";
    return { ...base, exitCode: EXIT.unreachable, message, hint };
  }
  if (code === "unexpected") {
    const message = `What answers at ${url} is not obleth's management API (status ${status}).`;
    const hint = "--url takes the management listener, port 9180 unless changed; not the proxy or the dashboard.";
    return { ...base, exitCode: status >= 502 ? EXIT.unreachable : EXIT.failed, message, hint };
  }
  const message = field === null || error.message.includes(field) ? error.message : `${field}: ${error.message}`;
  return { ...base, exitCode: exitOf(status), message, hint: hintOf(status, { place, retryAfterSecs }) };
}

function exitOf(status: number): ExitCode {
  if (status === 409 || status === 412) return EXIT.conflict;
  return status === 503 ? EXIT.unreachable : EXIT.failed;
}

function hintOf(status: number, about: { place: CallPlace | null; retryAfterSecs: number | null }): string | null {
  switch (status) {
    case 401:
      return about.place?.hasToken === true
        ? "This gateway has another admin token; check OBLETH_ADMIN_TOKEN or --token."
        : "Set OBLETH_ADMIN_TOKEN, or run this where the gateway keeps its data folder (.obleth).";
    case 412:
      return "Read it again and decide anew.";
    case 429:
    case 503:
      return about.retryAfterSecs === null ? "Try again shortly." : `Try again in ${about.retryAfterSecs} s.`;
    default:
      return null;
  }
}

/** The system's code below fetch's own error, such as ECONNREFUSED. */
function causeOf(error: Error): string {
  for (let cause = error.cause; cause instanceof Error; cause = cause.cause) {
    if ("code" in cause && typeof cause.code === "string") return ` (${cause.code})`;
    if (cause.cause === undefined && cause.message !== "") return ` (${cause.message})`;
  }
  return "";
}
