/** People who may sign in, and how they do. */
import { z } from "zod";
import { MIN_PASSWORD_LENGTH } from "./bounds";
import { isoTimeOut, line, paging, textSearch, tsMs, uuid, version } from "./common";

export const ROLES = ["admin", "viewer"] as const;
export type Role = (typeof ROLES)[number];

/** Long enough to resist guessing; the upper bound keeps hashing cheap. */
const password = z.string().min(MIN_PASSWORD_LENGTH).max(200);
const email = z.email().max(254).toLowerCase();

export const user = z
  .strictObject({
    id: uuid,
    email: z.string(),
    role: z.enum(ROLES),
    last_sign_in_ts_ms: tsMs.nullable(),
    active_sessions: z.int(),
    created_at: isoTimeOut,
    updated_at: isoTimeOut,
    version,
  })
  .meta({ id: "User" });
export type User = z.infer<typeof user>;

export const userCreate = z.strictObject({
  email,
  role: z.enum(ROLES).default("viewer"),
  password: password.optional().describe("Left out: make a reset link and let them choose one."),
});
export const userPatch = z.strictObject({ email, role: z.enum(ROLES) }).partial();
export const userQuery = z.strictObject({
  ...paging,
  sort: z.enum(["email", "role", "created_at", "last_sign_in"]).default("email"),
  q: textSearch,
  role: z.enum(ROLES).optional(),
});
export const resetLink = z
  .strictObject({
    token: z.string().describe("Works once; shown in this answer only."),
    path: z.string().describe("To be put behind the dashboard's address."),
    expires_at: isoTimeOut,
  })
  .meta({ id: "ResetLink" });

export const authState = z
  .strictObject({
    first_run: z.boolean().describe("Nobody can sign in yet."),
    environment_label: z.string().nullable(),
    version: z.string(),
  })
  .meta({ id: "AuthState" });
export type AuthState = z.infer<typeof authState>;

export const login = z.strictObject({ email: line.max(254), password: z.string().min(1).max(200) });
export const me = z
  .strictObject({
    kind: z.enum(["user", "token"]),
    user: user.nullable().describe("Null for the admin token."),
    role: z.enum(ROLES),
    session_expires_at: isoTimeOut.nullable(),
  })
  .meta({ id: "Me" });
export type Me = z.infer<typeof me>;
export const loginResult = z
  .strictObject({ token: z.string(), expires_at: isoTimeOut, user })
  .meta({ id: "LoginResult" });
export const passwordChange = z.strictObject({
  current_password: z.string().min(1).max(200),
  new_password: password,
});
export const passwordReset = z.strictObject({ token: z.string().min(1).max(200), new_password: password });
