import {
  createResetToken,
  createUser,
  deleteUser,
  endUserSessions,
  findUser,
  listUsers,
  notFound,
  readTogether,
  updateUser,
} from "@obleth/db";
import { sha256 } from "../auth/caller";
import { newToken } from "../auth/handlers";
import { Passwords } from "../auth/password";
import type { ManagementDeps } from "../deps";
import { answer, changedReply, type Handlers } from "../http/call";
import { userJson } from "./to-json";

type UserRoute =
  | "listUsers"
  | "createUser"
  | "getUser"
  | "updateUser"
  | "deleteUser"
  | "createResetLink"
  | "endUserSessions";

/** Long enough for an email to be read the next morning. */
const RESET_LINK_MS = 24 * 3_600_000;

export function userHandlers({ db }: ManagementDeps): Pick<Handlers, UserRoute> {
  const passwords = new Passwords();
  return {
    listUsers: async ({ query }) => {
      const page = await readTogether(db, (tx) => listUsers(tx, query));
      return answer("listUsers", {
        items: page.items.map(userJson),
        next_cursor: page.nextCursor,
        total: page.total,
      });
    },
    createUser: async ({ body, context }) => {
      const passwordHash = body.password === undefined ? null : await passwords.hash(body.password);
      const changed = await createUser(db, context, { email: body.email, role: body.role, passwordHash });
      return changedReply(changed, answer("createUser", userJson(changed.value), changed.value.version));
    },
    getUser: async ({ params }) => {
      const row = await findUser(db, params.id);
      if (row === undefined) throw notFound("user");
      return answer("getUser", userJson(row), row.version);
    },
    updateUser: async ({ params, body, context, expectedVersion }) => {
      const changed = await updateUser(db, context, { id: params.id, expectedVersion, patch: body });
      return changedReply(changed, answer("updateUser", userJson(changed.value), changed.value.version));
    },
    deleteUser: async ({ params, context, expectedVersion }) =>
      changedReply(await deleteUser(db, context, { id: params.id, expectedVersion }), {}),
    createResetLink: async ({ params, context }) => {
      const token = newToken();
      const expiresAt = new Date(context.nowMs + RESET_LINK_MS);
      const wanted = { userId: params.id, tokenHash: sha256(token), expiresAt };
      const changed = await createResetToken(db, context, wanted);
      const path = `/reset?token=${token}`;
      return changedReply(changed, answer("createResetLink", { token, path, expires_at: expiresAt.toISOString() }));
    },
    endUserSessions: async ({ params, context }) => changedReply(await endUserSessions(db, context, params.id), {}),
  };
}
