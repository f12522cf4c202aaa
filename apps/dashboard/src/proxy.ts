/**
 * Adds the content security policy with a nonce per page and tells pages which address was asked for. It guards
 * nothing: every page and handler checks the session itself. An address with a part that nothing can be called leads to no page.
 */
import { type NextRequest, NextResponse } from "next/server";
import { nameInPath } from "./lib/name-in-address";

export function proxy(request: NextRequest): NextResponse {
  const nonce = btoa(crypto.randomUUID());
  const policy = contentSecurityPolicy(nonce, process.env.NODE_ENV === "development");
  const headers = new Headers(request.headers);
  headers.set("x-nonce", nonce);
  headers.set("content-security-policy", policy);
  headers.set("x-obleth-requested-path", `${request.nextUrl.pathname}${request.nextUrl.search}`);
  const { pathname } = request.nextUrl;
  const isNone = !pathname.split("/").every((part) => part === "" || nameInPath(part) !== null);
  if (isNone && pathname.startsWith("/api/")) return NO_SUCH_ADDRESS();
  const response = isNone
    ? NextResponse.rewrite(new URL(NO_PAGE, request.nextUrl), { request: { headers } })
    : NextResponse.next({ request: { headers } });
  response.headers.set("content-security-policy", policy);
  response.headers.set("x-content-type-options", "nosniff");
  response.headers.set("referrer-policy", "same-origin");
  response.headers.set("x-frame-options", "DENY");
  response.headers.set("cross-origin-opener-policy", "same-origin");
  return response;
}

/**
 * There is no page there, and there will be none. Where an escape is broken the framework fails before any page runs, and
 * of a page that finds out itself it sends an empty frame.
 */
const NO_PAGE = "/no/page/is/called/so";

const NO_SUCH_ADDRESS = () =>
  NextResponse.json(
    {
      error: { message: "There is no such address here.", type: "obleth_management_error", code: "not_found" },
    },
    { status: 404, headers: { "cache-control": "no-store" } },
  );

/** Scripts run only with the page's nonce; nothing is loaded from, framed by or sent to another site. */
function contentSecurityPolicy(nonce: string, isDevelopment: boolean): string {
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${isDevelopment ? " 'unsafe-eval'" : ""}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self'${isDevelopment ? " ws:" : ""}`,
    "worker-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** Pages, and of the handlers' addresses those with an escape in them. */
export const config = { matcher: ["/((?!_next/static|_next/image|icon.svg|api/).*)", "/api/(.*%.*)"] };
