/**
 * Adds the content security policy with a nonce per page and tells pages which address was asked for. It guards
 * nothing: every page and handler checks the session itself. An address with a broken escape leads to no page.
 */
import { type NextRequest, NextResponse } from "next/server";

export function proxy(request: NextRequest): NextResponse {
  const nonce = btoa(crypto.randomUUID());
  const policy = contentSecurityPolicy(nonce, process.env.NODE_ENV === "development");
  const headers = new Headers(request.headers);
  headers.set("x-nonce", nonce);
  headers.set("content-security-policy", policy);
  headers.set("x-obleth-requested-path", `${request.nextUrl.pathname}${request.nextUrl.search}`);
  const isBroken = !canDecode(request.nextUrl.pathname);
  if (isBroken && request.nextUrl.pathname.startsWith("/api/")) return NO_SUCH_ADDRESS();
  const response = isBroken
    ? NextResponse.rewrite(new URL(NO_PAGE, request.nextUrl), { request: { headers } })
    : NextResponse.next({ request: { headers } });
  response.headers.set("content-security-policy", policy);
  response.headers.set("x-content-type-options", "nosniff");
  response.headers.set("referrer-policy", "same-origin");
  response.headers.set("x-frame-options", "DENY");
  response.headers.set("cross-origin-opener-policy", "same-origin");
  return response;
}

/** There is no page there, and there will be none. */
const NO_PAGE = "/no/page/has/a/broken/escape";

const NO_SUCH_ADDRESS = () =>
  NextResponse.json(
    {
      error: { message: "There is no such address here.", type: "obleth_management_error", code: "not_found" },
    },
    { status: 404, headers: { "cache-control": "no-store" } },
  );

/** The framework fails for an address with an escape that is none, before any page or handler could say so. */
function canDecode(pathname: string): boolean {
  try {
    decodeURIComponent(pathname);
    return true;
  } catch {
    return false;
  }
}

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
