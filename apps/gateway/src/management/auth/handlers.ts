/** Signing in and out. A session's token is shown once and kept as a hash; a new password ends the other sessions. */
import { randomBytes } from "node:crypto";
import {
  beginSession,
  endSession,
  findPasswordHash,
  findUserByEmail,
  isResetToken,
  resetPassword,
  setPassword,
  USED_LINK,
} from "@obleth/db";
import type { ManagementDeps } from "../deps";
import { answer, type Call, changedReply, type Handlers } from "../http/call";
import { Fault } from "../http/fault";
import { userJson } from "../users/to-json";
import { AttemptLimit } from "./attempt-limit";
import { sha256 } from "./caller";
import { Passwords } from "./password";

type AuthRoute = "login" | "logout" | "getMe" | "changePassword" | "resetPassword";

/** One message whether the email or the password is wrong: it must not tell who has an account. */
const WRONG = "The email or the password is wrong.";

export function authHandlers(deps: ManagementDeps): Pick<Handlers, AuthRoute> {
  const { db } = deps;
  const attempts = new AttemptLimit(deps.clock);
  const passwords = new Passwords();

  return {
    login: async ({ body, remoteAddress, context }) => {
      const attempt = { account: body.email, address: remoteAddress };
      attempts.check(attempt);
      const user = await findUserByEmail(db, body.email);
      const stored = user === undefined ? null : await findPasswordHash(db, user.id);
      if (!(await passwords.matches(body.password, stored)) || user === undefined) {
        attempts.failed(attempt);
        deps.log.warn({ request_id: context.requestId, address: remoteAddress }, "management.login_failed");
        throw new Fault("wrong_credentials", WRONG);
      }
      attempts.succeeded(attempt);
      const now = new Date(context.nowMs);
      const expiresAt = new Date(context.nowMs + deps.settings.sessionTtlMs);
      const token = newToken();
      await beginSession(db, { userId: user.id, tokenHash: sha256(token), now, expiresAt });
      const signedIn = { ...user, lastSignInAt: now, activeSessions: user.activeSessions + 1 };
      return answer("login", { token, expires_at: expiresAt.toISOString(), user: userJson(signedIn) });
    },

    logout: async ({ caller }) => {
      if (caller.kind === "user") await endSession(db, caller.sessionId);
      return {};
    },

    getMe: ({ caller }) => answer("getMe", meJson(caller)),

    changePassword: async ({ caller, body, context, remoteAddress }) => {
      if (caller.kind !== "user") throw new Fault("conflict", "The admin token has no password.");
      const attempt = { account: caller.user.email, address: remoteAddress };
      attempts.check(attempt);
      if (!(await passwords.matches(body.current_password, await findPasswordHash(db, caller.user.id)))) {
        attempts.failed(attempt);
        throw new Fault("wrong_credentials", "The current password is wrong.", { field: "current_password" });
      }
      const passwordHash = await passwords.hash(body.new_password);
      const wanted = { userId: caller.user.id, passwordHash, keepSessionId: caller.sessionId };
      return changedReply(await setPassword(db, context, wanted), {});
    },

    resetPassword: async ({ body, context, remoteAddress }) => {
      const attempt = { account: "reset link", address: remoteAddress };
      attempts.check(attempt);
      const tokenHash = sha256(body.token);
      if (!(await isResetToken(db, { tokenHash, nowMs: context.nowMs }))) {
        attempts.failed(attempt);
        throw new Fault("wrong_credentials", USED_LINK, { field: "token" });
      }
      const passwordHash = await passwords.hash(body.new_password);
      const changed = await resetPassword(db, context, { tokenHash, passwordHash });
      return changedReply(changed, {});
    },
  };
}

/** 24 random bytes, with a prefix that secret scanners can look for. */
export function newToken(): string {
  return `obs_${randomBytes(24).toString("hex")}`;
}

function meJson(caller: Call<"getMe">["caller"]) {
  if (caller.kind !== "user") return { kind: "token", user: null, role: "admin", session_expires_at: null } as const;
  return {
    kind: "user",
    user: userJson(caller.user),
    role: caller.role,
    session_expires_at: caller.expiresAt.toISOString(),
  } as const;
}
