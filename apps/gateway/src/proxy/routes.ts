/**
 * The paths clients may call and what each one is. Deciding what a path means happens before anything else, on the raw
 * target, so that no later step can read it differently.
 */
import type { IncomingMessage } from "node:http";
import type { Protocol } from "../error-response";

export type BodyKind = "json" | "form";

/** A call that goes to a model. */
export interface CallRoute {
  readonly kind: "call";
  readonly protocol: Protocol;
  /** Appended to an endpoint's base, which ends in `/v1`. */
  readonly upstreamPath: string;
  readonly body: BodyKind;
  /** False for calls that produce no tokens. */
  readonly generates: boolean;
  /** False for a call that costs nothing wherever it is answered: it draws on no budget. */
  readonly spends: boolean;
  /** What a good answer is made of: JSON or an event stream, or bytes of any kind. */
  readonly answers: "json" | "bytes";
  /** True where a streaming backend can be asked to end with usage figures. */
  readonly hasStreamOptions: boolean;
}

export type Route =
  | CallRoute
  | { readonly kind: "list-models" }
  | { readonly kind: "one-model"; readonly model: string }
  | { readonly kind: "count-tokens"; readonly call: CallRoute };

export type RouteAnswer =
  | { readonly kind: "route"; readonly route: Route; readonly allow: string; readonly search: string }
  /** The server as a whole, which only OPTIONS can ask about. */
  | { readonly kind: "server"; readonly allow: string }
  | { readonly kind: "bad-path" }
  | { readonly kind: "unknown" };

const GET = "GET, HEAD, OPTIONS";
const POST = "POST, OPTIONS";

const call = (upstreamPath: string, more: Partial<CallRoute> = {}): CallRoute => ({
  kind: "call",
  protocol: "openai",
  upstreamPath,
  body: "json",
  generates: true,
  spends: true,
  answers: "json",
  hasStreamOptions: false,
  ...more,
});

const MESSAGES = call("/messages", { protocol: "anthropic" });

const ROUTES = new Map<string, { route: Route; allow: string }>([
  ["/v1/models", { route: { kind: "list-models" }, allow: GET }],
  ["/v1/messages/count_tokens", { route: { kind: "count-tokens", call: countTokensCall() }, allow: POST }],
  ...[
    call("/chat/completions", { hasStreamOptions: true }),
    call("/completions", { hasStreamOptions: true }),
    call("/responses"),
    call("/embeddings", { generates: false }),
    call("/rerank", { generates: false }),
    call("/moderations", { generates: false }),
    call("/audio/speech", { answers: "bytes" }),
    call("/audio/transcriptions", { body: "form", answers: "bytes" }),
    call("/audio/translations", { body: "form", answers: "bytes" }),
    call("/images/generations", { answers: "bytes" }),
    call("/images/edits", { body: "form", answers: "bytes" }),
    call("/images/variations", { body: "form", answers: "bytes" }),
    MESSAGES,
  ].map((route) => [`/v1${route.upstreamPath}`, { route, allow: POST }] as [string, { route: Route; allow: string }]),
]);

const MODEL_PREFIX = "/v1/models/";
const ENCODED_TRAVERSAL = /%(?:2e|2f|5c)/i;

/** What the request target `url` asks for. */
export function matchRoute(url: string): RouteAnswer {
  const known = ROUTES.get(url);
  if (known !== undefined) return { kind: "route", ...known, search: "" };
  return matchUnusual(url);
}

/**
 * The dialect a request's errors are written in: its path's own where it has one; of the paths that both APIs have, or
 * neither, the one whose mark it bears.
 */
export function protocolOf(
  answer: RouteAnswer,
  { url = "", headers }: Pick<IncomingMessage, "url" | "headers">,
): Protocol {
  const route = answer.kind === "route" ? answer.route : null;
  if (route?.kind === "call") return route.protocol;
  if (route?.kind === "count-tokens") return route.call.protocol;
  const isMarked = headers["anthropic-version"] !== undefined || (route === null && MESSAGES_PATH.test(url));
  return isMarked ? "anthropic" : "openai";
}

const MESSAGES_PATH = /^[^?#]*\/v1\/+messages/;

function matchUnusual(url: string): RouteAnswer {
  if (url === "*") return { kind: "server", allow: "GET, HEAD, POST, OPTIONS" };
  const target = withoutOrigin(url);
  const queryAt = target.search(/[?#]/);
  const rawPath = queryAt < 0 ? target : target.slice(0, queryAt);
  const search = queryAt < 0 ? "" : (target.slice(queryAt).split("#")[0] ?? "");
  if (isTraversal(rawPath)) return { kind: "bad-path" };
  const path = rawPath.replace(/\/{2,}/g, "/").replace(/(?<=.)\/$/, "");
  const known = ROUTES.get(path);
  if (known !== undefined) return { kind: "route", ...known, search };
  if (!path.startsWith(MODEL_PREFIX)) return { kind: "unknown" };
  const model = decoded(path.slice(MODEL_PREFIX.length));
  if (model === null) return { kind: "bad-path" };
  return { kind: "route", route: { kind: "one-model", model }, allow: GET, search };
}

function isTraversal(path: string): boolean {
  if (!path.startsWith("/") || path.includes("\\") || ENCODED_TRAVERSAL.test(path)) return true;
  return path.split("/").some((segment) => segment === "." || segment === "..");
}

/** Proxies may send the absolute form, `http://host/path`. */
function withoutOrigin(url: string): string {
  const match = /^https?:\/\/[^/?#]*/i.exec(url);
  if (match === null) return url;
  const rest = url.slice(match[0].length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function countTokensCall(): CallRoute {
  return call("/messages/count_tokens", { protocol: "anthropic", generates: false, spends: false });
}
