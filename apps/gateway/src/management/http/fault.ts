/** Every refusal of the management API as one envelope. Texts come from us, never from an exception of a library. */
import { ERROR_STATUS, type ErrorCode } from "@obleth/contract";
import { BadCursorError, Refusal, UnsealError } from "@obleth/db";
import type { ManagementLog } from "../deps";

export class Fault extends Error {
  override readonly name = "Fault";
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly more: { readonly field?: string; readonly retryAfterSecs?: number; readonly allow?: string } = {},
  ) {
    super(message);
  }
}

/** What a caller is told of an error. Whatever is not known to be harmless becomes a fixed text and a log line. */
export function faultOf(error: unknown, report: { log: ManagementLog; requestId: string }): Fault {
  if (error instanceof Fault) return error;
  if (error instanceof Refusal) return new Fault(error.code, error.message, fieldOf(error.field));
  if (error instanceof BadCursorError)
    return new Fault("invalid_request", `cursor ${error.message}.`, { field: "cursor" });
  const cause = rootOf(error);
  const state = sqlStateOf(cause);
  if (isConnectionLoss(cause, state)) {
    report.log.warn({ request_id: report.requestId, code: state }, "management.database_unreachable");
    return new Fault("unavailable", "The database cannot be reached; nothing was changed.", { retryAfterSecs: 5 });
  }
  const known = BY_SQL_STATE[state] ?? BY_SQL_CLASS[state.slice(0, 2)];
  if (known !== undefined && state.length === 5) {
    report.log.warn({ request_id: report.requestId, code: state }, "management.database_refused");
    return new Fault(known.code, known.message);
  }
  const fields = { request_id: report.requestId, name: nameOf(cause), code: state, stack: stackOf(cause) };
  report.log.error(fields, "management.failed");
  const message =
    cause instanceof UnsealError ? cause.message : "Something went wrong on our side; nothing was changed.";
  return new Fault("internal_error", message);
}

export function faultResponse(fault: Fault, requestId: string): Response {
  const { field, retryAfterSecs, allow } = fault.more;
  const headers: Record<string, string> = { "cache-control": "no-store" };
  if (retryAfterSecs !== undefined) headers["retry-after"] = String(retryAfterSecs);
  if (allow !== undefined) headers.allow = allow;
  if (ERROR_STATUS[fault.code] === 401) headers["www-authenticate"] = "Bearer";
  const error = {
    message: fault.message,
    type: "obleth_management_error",
    code: fault.code,
    ...(field === undefined ? {} : { field }),
    request_id: requestId,
  };
  return Response.json({ error }, { status: ERROR_STATUS[fault.code], headers });
}

const BY_SQL_STATE: Readonly<Record<string, { code: ErrorCode; message: string }>> = {
  "23505": { code: "already_exists", message: "Something with that name exists already." },
  "23503": { code: "conflict", message: "It refers to something that is gone, or something refers to it." },
  "57014": { code: "unavailable", message: "The question took too long; ask for less." },
};
/** Data exceptions: a value that the schemas let through and the database cannot keep. */
const BY_SQL_CLASS: Readonly<Record<string, { code: ErrorCode; message: string }>> = {
  "22": { code: "invalid_request", message: "A value is out of range or cannot be stored." },
};

const fieldOf = (field: string | undefined) => (field === undefined ? {} : { field });

/** The database library wraps errors with the query and its parameters; only the innermost is looked at. */
function rootOf(error: unknown): unknown {
  let root = error;
  for (let depth = 0; depth < 5 && root instanceof Error && root.cause !== undefined; depth++) root = root.cause;
  return root;
}

function sqlStateOf(cause: unknown): string {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined;
  return typeof code === "string" ? code : "";
}

function isConnectionLoss(cause: unknown, state: string): boolean {
  const isNetwork = /^(ECONN|ENOTFOUND|EAI_|EHOST|ETIMEDOUT|EPIPE|CONNECT|CONNECTION_)/.test(state);
  return isNetwork || (cause instanceof Error && ["08", "57P"].some((start) => state.startsWith(start)));
}

const nameOf = (cause: unknown) => (cause instanceof Error ? cause.name : typeof cause);

/** Where it happened, without the message: a message may hold a value. */
function stackOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error) || cause.stack === undefined) return undefined;
  return cause.stack
    .split("\n")
    .filter((line) => line.trimStart().startsWith("at "))
    .slice(0, 8)
    .join("\n");
}
