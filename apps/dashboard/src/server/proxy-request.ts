/** Turns a browser's call into a management call and its answer back, keeping only headers that mean something. */
import { bodyStream, callManagement, type ManagementCall } from "./management";
import { isSameOrigin } from "./same-origin";
import { readSession } from "./session";

const PREFIX = "/api/v1";
const REQUEST_HEADERS = ["accept", "content-type", "if-match", "if-none-match", "idempotency-key"];
/** Has audit rows name the dashboard as where a change was made. */
const SELF = { "x-obleth-client": "dashboard" };
const RESPONSE_HEADERS = [
  "content-type",
  "content-disposition",
  "etag",
  "date",
  "retry-after",
  "x-obleth-audit-id",
  "x-obleth-config-version",
  "x-request-id",
];
/** Sign-in and sign-out go through their own handlers: their answers carry the token. */
const OWN_HANDLERS = new Set(["/auth/login", "/auth/logout"]);
/** Model imports are the largest bodies. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** Answers one call under `/api/v1`. Refuses without a session, and writes without proof of coming from this site. */
export async function proxyRequest(request: Request): Promise<Response> {
  const session = await readSession();
  if (session === null) return refusal(401, "signed_out", "Sign in to continue.");
  const url = new URL(request.url);
  const path = url.pathname.slice(PREFIX.length);
  if (!url.pathname.startsWith(`${PREFIX}/`) || OWN_HANDLERS.has(path.toLowerCase())) {
    return refusal(404, "not_found", "There is no such address here.");
  }
  const isWrite = request.method !== "GET" && request.method !== "HEAD";
  if (isWrite && !isSameOrigin(request.headers)) {
    return refusal(403, "foreign_origin", "Changes are only taken from this site's own pages.");
  }
  const body = isWrite ? await readBody(request) : undefined;
  if (body === "too_large") return refusal(413, "body_too_large", `Bodies are at most ${MAX_BODY_BYTES} bytes.`);
  if (body !== undefined && !isJson(request.headers)) {
    return refusal(415, "not_json", "Send the body as application/json.");
  }
  return forward({
    method: request.method,
    path: `${path}${url.search}`,
    token: session.token,
    headers: { ...pick((name) => request.headers.get(name), REQUEST_HEADERS), ...SELF },
    signal: request.signal,
    ...(body ? { body } : {}),
  });
}

async function forward(call: ManagementCall): Promise<Response> {
  try {
    const answer = await callManagement(call);
    const headers = pick((name) => asOne(answer.headers[name]), RESPONSE_HEADERS);
    headers["cache-control"] = "no-store";
    const status = answer.statusCode ?? 502;
    const isBodyless = status === 204 || status === 304 || call.method === "HEAD";
    if (isBodyless) answer.resume();
    return new Response(isBodyless ? null : bodyStream(answer), { status, headers });
  } catch {
    return refusal(502, "gateway_unreachable", "The gateway's management API cannot be reached.");
  }
}

async function readBody(request: Request): Promise<Uint8Array | undefined | "too_large"> {
  if (Number(request.headers.get("content-length") ?? 0) > MAX_BODY_BYTES) return "too_large";
  const bytes = new Uint8Array(await request.arrayBuffer());
  if (bytes.byteLength > MAX_BODY_BYTES) return "too_large";
  return bytes.byteLength === 0 ? undefined : bytes;
}

function isJson(headers: Headers): boolean {
  return (headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() === "application/json";
}

function pick(read: (name: string) => string | null | undefined, names: readonly string[]): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = read(name);
    if (value != null) picked[name] = value;
  }
  return picked;
}

function asOne(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(", ") : value;
}

function refusal(status: number, code: string, message: string): Response {
  return Response.json(
    { error: { message, type: "obleth_management_error", code } },
    { status, headers: { "cache-control": "no-store" } },
  );
}
