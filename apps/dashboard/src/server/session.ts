/**
 * The signed-in user, kept in a sealed HttpOnly cookie. The cookie carries the gateway's session token; the browser's
 * scripts never see it, and the gateway decides on each call whether it is still good.
 */
import { sealData } from "iron-session";
import { cookies, headers } from "next/headers";
import { redirect } from "next/navigation";
import { openSeal } from "./open-seal";
import { safeNext } from "./safe-next";
import { getSettings } from "./settings";

export interface LoginFlash {
  problem?: "wrong" | "too_many" | "unreachable" | "foreign" | "failed";
  email?: string;
  retryAfterSecs?: number;
}

export interface SignedIn {
  readonly token: string;
  readonly email: string;
  readonly role: "admin" | "viewer";
}

export const SESSION_COOKIE = "obleth_session";
const FLASH_COOKIE = "obleth_login";
/** Set by the proxy on every page request: the path and query the browser asked for. */
export const REQUESTED_PATH_HEADER = "x-obleth-requested-path";

/** A working week; the gateway's own expiry is usually shorter and wins. */
const SESSION_TTL_SECS = 7 * 24 * 3600;
const FLASH_TTL_SECS = 120;

/** Remembers who signed in; a new cookie each time, so one planted before is worth nothing. */
export async function startSession(session: SignedIn, isSecure: boolean): Promise<void> {
  await writeSealed(SESSION_COOKIE, session, { ttlSecs: SESSION_TTL_SECS, isSecure });
}

/** Forgets who was signed in; gives back what the gateway must be told. */
export async function endSession(isSecure: boolean): Promise<SignedIn | null> {
  const session = await readSession();
  await clear(SESSION_COOKIE, isSecure);
  return session;
}

/** The signed-in user, or null. */
export async function readSession(): Promise<SignedIn | null> {
  const { token, email, role } = await readSealed<Partial<SignedIn>>(SESSION_COOKIE, SESSION_TTL_SECS);
  return token && email && role ? { token, email, role } : null;
}

/** Leaves word for the login page; null takes it back. */
export async function leaveFlash(flash: LoginFlash | null, isSecure: boolean): Promise<void> {
  if (flash === null) await clear(FLASH_COOKIE, isSecure);
  else await writeSealed(FLASH_COOKIE, flash, { ttlSecs: FLASH_TTL_SECS, isSecure });
}

/** What the last sign-in attempt has to say to the login page. */
export async function readFlash(): Promise<LoginFlash> {
  return readSealed<LoginFlash>(FLASH_COOKIE, FLASH_TTL_SECS);
}

/** The signed-in user; sends everyone else to the login page and back here afterwards. */
export async function requireSession(): Promise<SignedIn> {
  const session = await readSession();
  if (session !== null) return session;
  const wanted = safeNext((await headers()).get(REQUESTED_PATH_HEADER));
  redirect(wanted === "/" ? "/login" : `/login?next=${encodeURIComponent(wanted)}`);
}

/** True when the browser reached this site by https, directly or through a proxy that says so. */
export function isSecureRequest(request: Request): boolean {
  return request.headers.get("x-forwarded-proto") === "https" || new URL(request.url).protocol === "https:";
}

async function readSealed<Data extends object>(name: string, ttlSecs: number): Promise<Partial<Data>> {
  const sealed = (await cookies()).get(name)?.value;
  return sealed ? openSeal<Data>(sealed, { secret: getSettings().sessionSecret, ttlSecs }) : {};
}

async function writeSealed(name: string, data: object, options: { ttlSecs: number; isSecure: boolean }): Promise<void> {
  const sealed = await sealData(data, { password: getSettings().sessionSecret, ttl: options.ttlSecs });
  (await cookies()).set(name, sealed, { ...attributes(options.isSecure), maxAge: options.ttlSecs });
}

async function clear(name: string, isSecure: boolean): Promise<void> {
  (await cookies()).set(name, "", { ...attributes(isSecure), maxAge: 0 });
}

function attributes(secure: boolean) {
  return { httpOnly: true, sameSite: "lax", path: "/", secure } as const;
}
