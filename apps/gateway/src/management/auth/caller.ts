/** Who is calling, by the token they bring. */
import { createHash, timingSafeEqual } from "node:crypto";
import { findSession, type UserRow } from "@obleth/db";
import { LRUCache } from "lru-cache";
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
      /** Known from before the database went away. */
      readonly isRemembered?: boolean;
    };

export const NOBODY: Caller = { kind: "nobody" };

/** Sessions remembered for when the database is away. */
const MAX_REMEMBERED = 1_000;
/** How long a remembered session goes on reading: long enough to see an outage through, short enough after an end. */
const REMEMBERED_MS = 15 * 60_000;

type Needs = Pick<ManagementDeps, "db" | "settings" | "clock">;

/**
 * Tells who is calling. Sessions are read on every call, so their end takes effect at once. While the database cannot be
 * asked, whoever was seen lately may still read: the live state matters most when something is down.
 */
export class Callers {
  readonly #deps: Needs;
  readonly #seen = new LRUCache<string, { readonly caller: Caller; readonly untilMs: number }>({ max: MAX_REMEMBERED });

  constructor(deps: Needs) {
    this.#deps = deps;
  }

  /** The caller behind an `Authorization` header; nobody when there is none, it is unknown or has expired. */
  async identify(header: string | undefined): Promise<Caller> {
    const token = /^Bearer +(\S+) *$/i.exec(header ?? "")?.[1];
    if (token === undefined) return NOBODY;
    const { adminToken } = this.#deps.settings;
    if (adminToken !== undefined && isSame(token, adminToken)) return { kind: "token", role: "admin", actor: "token" };
    const tokenHash = sha256(token);
    try {
      return await this.#readSession(tokenHash);
    } catch (error) {
      const seen = this.#seen.get(tokenHash);
      const nowMs = this.#deps.clock.wallMs();
      if (seen?.caller.kind !== "user" || seen.untilMs < nowMs || seen.caller.expiresAt.getTime() <= nowMs) throw error;
      return { ...seen.caller, role: "viewer", isRemembered: true };
    }
  }

  async #readSession(tokenHash: string): Promise<Caller> {
    const nowMs = this.#deps.clock.wallMs();
    const session = await findSession(this.#deps.db, { tokenHash, nowMs });
    if (session === undefined) {
      this.#seen.delete(tokenHash);
      return NOBODY;
    }
    const { user, id: sessionId, expiresAt } = session;
    const caller: Caller = { kind: "user", role: user.role, actor: user.email, user, sessionId, expiresAt };
    this.#seen.set(tokenHash, { caller, untilMs: nowMs + REMEMBERED_MS });
    return caller;
  }
}

/** Hash under which session and reset tokens are kept; they are random, so no salt is needed. */
export function sha256(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** Compares hashes, so neither length nor content shows in the time it takes. */
function isSame(given: string, wanted: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(given)), Buffer.from(sha256(wanted)));
}
