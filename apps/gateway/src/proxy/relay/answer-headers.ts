/** The headers of a relayed answer: the backend's own, without what belongs to its connection, and ours. */
import { connectionNames, headerValue, isHopByHop } from "../../upstream/raw-headers";
import type { ProxyRequest } from "../proxy-request";

/** Backend headers that the gateway sets itself or that would mislead a client. */
const REPLACED = new Set(["date", "x-accel-buffering", "set-cookie", "alt-svc", "strict-transport-security"]);

export interface AnswerHead {
  /** Flat list of names and values. */
  readonly headers: string[];
  /** Lowercase, without parameters; "" when the backend names none. */
  readonly contentType: string;
  readonly contentLength: number | null;
  /** The body has a content coding, so its bytes cannot be read. */
  readonly isEncoded: boolean;
  /** The body ends where the connection does: its end proves nothing. */
  readonly endsWithConnection: boolean;
}

/** Cost is linear in the number of headers. */
export function answerHead(rawHeaders: readonly Buffer[]): AnswerHead {
  const headers: string[] = [];
  const named = connectionNames(headerValue(rawHeaders, "connection"));
  let contentType = "";
  let contentLength: number | null = null;
  let isEncoded = false;
  let isChunked = false;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const rawName = (rawHeaders[i] as Buffer).toString("latin1");
    const name = rawName.toLowerCase();
    const value = (rawHeaders[i + 1] as Buffer).toString("latin1");
    if (name === "transfer-encoding") isChunked = true;
    if (isHopByHop(name) || REPLACED.has(name) || named.has(name) || name.startsWith("x-obleth-")) continue;
    if (name.startsWith("access-control-")) continue;
    if (name === "content-length") contentLength = Number(value);
    else if (name === "content-type") contentType = (value.split(";", 1)[0] ?? "").trim().toLowerCase();
    else if (name === "content-encoding") isEncoded = value.trim().toLowerCase() !== "identity";
    headers.push(rawName, value);
  }
  return { headers, contentType, contentLength, isEncoded, endsWithConnection: !isChunked && contentLength === null };
}

/** Removes every header of that name. */
export function withoutHeader(headers: readonly string[], lowercaseName: string): string[] {
  const kept: string[] = [];
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i] as string;
    if (name.toLowerCase() !== lowercaseName) kept.push(name, headers[i + 1] as string);
  }
  return kept;
}

/** What the gateway says about how it handled a request. */
export function gatewayHeaders(request: ProxyRequest): string[] {
  const headers = ["x-obleth-request-id", request.id];
  if (request.model !== null) headers.push("x-obleth-model", headerSafe(request.model.name));
  if (request.admission !== "rejected") {
    headers.push("x-obleth-admission", request.admission);
    headers.push("x-obleth-queue-wait-ms", String(Math.round(request.queueWaitMs)));
  }
  return headers;
}

/** Names may hold any character; headers may not. */
function headerSafe(name: string): string {
  return /^[\x20-\x7e]*$/.test(name) ? name : encodeURIComponent(Buffer.from(name).toString());
}
