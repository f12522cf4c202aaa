import { callManagementJson } from "../../../server/management";
import { safeNext } from "../../../server/safe-next";
import { isSameOrigin } from "../../../server/same-origin";
import { isSecureRequest, type LoginFlash, leaveFlash, type SignedIn, startSession } from "../../../server/session";

export const dynamic = "force-dynamic";

const LOGIN_TIMEOUT_MS = 10_000;
const MAX_FORM_BYTES = 16 * 1024;
const DEFAULT_RETRY_SECS = 60;

/** Signs in from the login page's form; always answers with a redirect, so it works without scripts. */
export async function POST(request: Request): Promise<Response> {
  const isSecure = isSecureRequest(request);
  if (!isSameOrigin(request.headers)) return backToLogin(isSecure, { problem: "foreign" }, "/");
  const form = await readForm(request);
  const next = safeNext(form.get("next"));
  const email = (form.get("email") ?? "").trim();
  const attempt = await signIn(email, form.get("password") ?? "");
  if (!("token" in attempt)) return backToLogin(isSecure, { ...attempt, email }, next);

  await leaveFlash(null, isSecure);
  await startSession(attempt, isSecure);
  return seeOther(next);
}

async function signIn(email: string, password: string): Promise<LoginFlash | SignedIn> {
  try {
    const answer = await callManagementJson({
      method: "POST",
      path: "/auth/login",
      headers: { "content-type": "application/json" },
      body: Buffer.from(JSON.stringify({ email, password })),
      timeoutMs: LOGIN_TIMEOUT_MS,
    });
    if (answer.status === 429) {
      return { problem: "too_many", retryAfterSecs: Number(answer.headers["retry-after"]) || DEFAULT_RETRY_SECS };
    }
    if (answer.status >= 400 && answer.status < 500) return { problem: "wrong" };
    return readSignedIn(answer.body) ?? { problem: "failed" };
  } catch {
    return { problem: "unreachable" };
  }
}

function readSignedIn(body: unknown): SignedIn | null {
  if (typeof body !== "object" || body === null) return null;
  const { token, user } = body as { token?: unknown; user?: { email?: unknown; role?: unknown } };
  if (typeof token !== "string" || typeof user?.email !== "string") return null;
  return { token, email: user.email, role: user.role === "admin" ? "admin" : "viewer" };
}

async function readForm(request: Request): Promise<URLSearchParams> {
  const length = Number(request.headers.get("content-length") ?? 0);
  if (length > MAX_FORM_BYTES) return new URLSearchParams();
  return new URLSearchParams((await request.text()).slice(0, MAX_FORM_BYTES));
}

async function backToLogin(isSecure: boolean, problem: LoginFlash, next: string): Promise<Response> {
  await leaveFlash(problem, isSecure);
  return seeOther(next === "/" ? "/login" : `/login?next=${encodeURIComponent(next)}`);
}

function seeOther(location: string): Response {
  return new Response(null, { status: 303, headers: { location, "cache-control": "no-store" } });
}
