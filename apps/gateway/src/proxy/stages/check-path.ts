/** Whether a request's path and method exist here: what is decided before anybody is known. */
import type { IncomingMessage } from "node:http";
import type { Refusal } from "../../error-response";
import type { RouteAnswer } from "../routes";

const BAD_PATH: Refusal = {
  code: "invalid_request",
  message:
    "The path holds '..', an encoded dot, slash or backslash, or a percent sign that encodes nothing. Send it plain.",
};

const UNKNOWN_ENDPOINT: Refusal = {
  code: "unknown_endpoint",
  message: "There is no such endpoint here. The OpenAI and Anthropic APIs are under /v1.",
};

const NO_HOST: Refusal = {
  code: "invalid_request",
  message: "The request has no Host header, which HTTP/1.1 asks for. Send one.",
};

/** What is wrong with a path or a method; null when nothing is. */
export function pathRefusal(
  answer: RouteAnswer,
  { method, headers, httpVersionMinor }: Pick<IncomingMessage, "method" | "headers" | "httpVersionMinor">,
): Refusal | null {
  if (headers.host === undefined && httpVersionMinor > 0) return NO_HOST;
  if (answer.kind === "unknown") return UNKNOWN_ENDPOINT;
  if (answer.kind === "bad-path" || (answer.kind === "server" && method !== "OPTIONS")) return BAD_PATH;
  return method === "OPTIONS" || isAllowed(method, answer.allow) ? null : methodNotAllowed(answer.allow);
}

function methodNotAllowed(allow: string): Refusal {
  return { code: "method_not_allowed", message: `This endpoint answers ${allow} only.`, allow };
}

function isAllowed(method: string | undefined, allow: string): boolean {
  return method === "POST"
    ? allow.startsWith("POST")
    : (method === "GET" || method === "HEAD") && allow.startsWith("GET");
}
