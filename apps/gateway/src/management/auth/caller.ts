/** Who is calling, by the token they bring. */
import { createHash, timingSafeEqual } from "node:crypto";
import { findSession, type UserRow } from "@obleth/db";
import type { ManagementDeps } from "../deps";

export type Caller =
  | { readonly kind: "nobody" }
  | { readonly kind: "token"; readonly role: "admin"; readonly actor: "token" }
  | {
      readonly kind: "user";
      readonly role: "admin" | "viewer";
      readonly actor: string;
      readonly user: UserRow;
      readonly sessionId: string;
      readonly expiresAt: Date;
    };

export const NOBODY: Caller = { kind: "nobody" };

/** The caller behind an `Authorization` header; nobody when there is none, it is unknown or has expired. */
export async function identify(
  deps: Pick<ManagementDeps, "db" | "settings" | "clock">,
  header: string | undefined,
): Promise<Caller> {
  const token = /^Bearer +(\S+) *$/i.exec(header ?? "")?.[1];
  if (token === undefined) return NOBODY;
  const { adminToken } = deps.settings;
  if (adminToken !== undefined && isSame(token, adminToken)) return { kind: "token", role: "admin", actor: "token" };
  const session = await findSession(deps.db, { tokenHash: sha256(token), nowMs: deps.clock.wallMs() });
  if (session === undefined) return NOBODY;
  const { user } = session;
  return {
    kind: "user",
    role: user.role,
    actor: user.email,
    user,
    sessionId: session.id,
    expiresAt: session.expiresAt,
  };
}

/** Hash under which session and reset tokens are kept; they are random, so no salt is needed. */
export function sha256(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** Compares hashes, so neither length nor content shows in the time it takes. */
function isSame(given: string, wanted: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(given)), Buffer.from(sha256(wanted)));
}
