/** Lets pages of named origins call the gateway from a browser. Off unless origins are configured. */
import type { IncomingMessage } from "node:http";

const EXPOSED = "x-obleth-request-id, x-obleth-admission, x-obleth-queue-wait-ms, x-obleth-model, retry-after";
const PREFLIGHT_MAX_AGE_SECS = 600;

/** Headers for an answer to this request; empty when its origin is not admitted. */
export function corsHeaders(req: IncomingMessage, origins: readonly string[]): string[] {
  const origin = req.headers.origin;
  if (origins.length === 0 || origin === undefined) return [];
  if (!origins.includes(origin) && !(origins.includes("*") && origin !== "null")) return [];
  return ["access-control-allow-origin", origin, "vary", "origin", "access-control-expose-headers", EXPOSED];
}

/** What a preflight is told besides `corsHeaders`; empty when this is not an admitted preflight. */
export function preflightHeaders(req: IncomingMessage, origins: readonly string[], allow: string): string[] {
  const asked = req.headers["access-control-request-method"];
  if (asked === undefined || corsHeaders(req, origins).length === 0) return [];
  const wanted = req.headers["access-control-request-headers"];
  return [
    "access-control-allow-methods",
    allow,
    "access-control-max-age",
    String(PREFLIGHT_MAX_AGE_SECS),
    ...(wanted === undefined ? [] : ["access-control-allow-headers", wanted]),
  ];
}
