/** What becomes of a backend's error answer: passed on as it is, put into the caller's dialect, or replaced. */
import { anthropicErrorBody, type Refusal } from "../../error-response";
import type { EndpointRecord } from "../../policy-cache/records";
import type { AnswerHead } from "./answer-headers";
import { withoutHeader } from "./answer-headers";

export interface ErrorAnswerInput {
  readonly endpoint: EndpointRecord;
  readonly status: number;
  readonly head: AnswerHead;
  readonly body: Buffer;
  readonly isTranslated: boolean;
  readonly requestId: string;
}

export type ErrorAnswer = { readonly headers: string[]; readonly body: Buffer } | { readonly refusal: Refusal };

/** Longest message taken out of a backend's error. */
const MAX_MESSAGE = 2000;

export function errorAnswer({ endpoint, status, head, body, isTranslated, requestId }: ErrorAnswerInput): ErrorAnswer {
  if (secretsOf(endpoint).some((secret) => body.includes(secret))) {
    return {
      refusal: failed(status, "The model's server refused the request and repeated a secret, so its text is withheld."),
    };
  }
  if (head.isEncoded) return isTranslated ? { refusal: failed(status, UNREADABLE) } : { headers: head.headers, body };
  const message = messageOf(body);
  if (message === null && status >= 500) return { refusal: failed(status, UNREADABLE) };
  if (!isTranslated) return { headers: head.headers, body };
  return {
    headers: [...withoutHeader(head.headers, "content-type"), "content-type", "application/json"],
    body: anthropicErrorBody(status, message ?? `The model's server answered with status ${status}.`, requestId),
  };
}

/** Shortest value of a header of the endpoint's own that is taken for a secret rather than for a version or a name. */
const MIN_SECRET_HEADER = 16;

/** What no client may read: the credential, and what may be one in a header, with or without a scheme before it. */
function secretsOf({ apiKey, headers }: EndpointRecord): string[] {
  const values = Object.values(headers).map((value) => value.slice(value.lastIndexOf(" ") + 1));
  const secrets = values.filter((value) => value.length >= MIN_SECRET_HEADER);
  if (apiKey !== null && apiKey !== "") secrets.push(apiKey);
  return secrets;
}

const UNREADABLE = "The model's server failed. Try again later.";

function failed(status: number, message: string): Refusal {
  return { code: status === 504 ? "upstream_timeout" : "upstream_failed", message };
}

/** The text of a JSON error in one of the usual shapes; null when the body is no JSON object. */
function messageOf(body: Buffer): string | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString("utf8"));
  } catch {
    return null;
  }
  if (parsed === null || typeof parsed !== "object") return null;
  const error = "error" in parsed ? parsed.error : parsed;
  if (typeof error === "string") return error.slice(0, MAX_MESSAGE);
  const holder = error !== null && typeof error === "object" ? error : parsed;
  const message = "message" in holder ? holder.message : "detail" in holder ? holder.detail : null;
  return (typeof message === "string" ? message : JSON.stringify(error)).slice(0, MAX_MESSAGE);
}
