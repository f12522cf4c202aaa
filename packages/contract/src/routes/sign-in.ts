/** Sessions and passwords. */

import type { RouteTable } from "../route-spec";
import { authState, login, loginResult, me, passwordChange, passwordReset } from "../users";

export const signInRoutes = {
  getAuthState: {
    tag: "Sign in",
    summary: "What the sign-in page needs",
    role: "public",
    status: 200,
    response: authState,
    errors: [],
  },
  login: {
    tag: "Sign in",
    summary: "Begin a session",
    role: "public",
    body: login,
    status: 200,
    response: loginResult,
    errors: ["wrong_credentials", "too_many_attempts"],
  },
  resetPassword: {
    tag: "Sign in",
    summary: "Choose a password with a reset token; ends every session of that user",
    role: "public",
    body: passwordReset,
    status: 204,
    errors: ["wrong_credentials", "too_many_attempts"],
  },
  logout: { tag: "Sign in", summary: "End this session", role: "session", status: 204, errors: [] },
  getMe: { tag: "Sign in", summary: "Who is calling", role: "session", status: 200, response: me, errors: [] },
  changePassword: {
    tag: "Sign in",
    summary: "Change one's own password; ends the other sessions",
    role: "session",
    body: passwordChange,
    status: 204,
    errors: ["wrong_credentials", "too_many_attempts", "conflict"],
  },
} as const satisfies RouteTable;
