/** Lets pages of named origins call the gateway from a browser. Off unless origins are configured. */
import type { IncomingMessage } from "node:http";

const EXPOSED = "x-obleth-request-id, x-obleth-admission, x-obleth-queue-wait-ms, x-obleth-model, retry-after";
/** What browsers may remember a preflight for; origins taken off the list go on for that long. */
const PREFLIGHT_MAX_AGE_SECS = 600;

/** Headers for an answer to this request. Without any origin named there are none. */
export function corsHeaders(req: IncomingMessage, origins: readonly string[]): string[] {
  if (origins.length === 0) return [];
  const origin = admittedOrigin(req, origins);
  if (origin === null) return ["vary", "origin"];
  return ["access-control-allow-origin", origin, "vary", "origin", "access-control-expose-headers", EXPOSED];
}

function admittedOrigin({ headers: { origin } }: IncomingMessage, origins: readonly string[]): string | null {
  if (origin === undefined) return null;
  return origins.includes(origin) || (origins.includes("*") && origin !== "null") ? origin : null;
}

/** What a preflight is told besides `corsHeaders`; empty when this is not an admitted preflight. */
export function preflightHeaders(req: IncomingMessage, origins: readonly string[], allow: string): string[] {
  const asked = req.headers["access-control-request-method"];
  if (asked === undefined || admittedOrigin(req, origins) === null) return [];
  const wanted = req.headers["access-control-request-headers"];
  return [
    "access-control-allow-methods",
    allow,
    "access-control-max-age",
    String(PREFLIGHT_MAX_AGE_SECS),
    ...(wanted === undefined ? [] : ["access-control-allow-headers", wanted]),
  ];
}
