/** Users. */
import { page } from "../common";
import { byId, type RouteTable, read, readOne } from "../route-spec";
import { resetLink, user, userCreate, userPatch, userQuery } from "../users";

export const userRoutes = {
  listUsers: { tag: "Users", summary: "List users", ...read, role: "admin", query: userQuery, response: page(user) },
  createUser: {
    tag: "Users",
    summary: "Add a user",
    role: "admin",
    status: 201,
    body: userCreate,
    response: user,
    etag: true,
    errors: ["already_exists"],
  },
  getUser: { tag: "Users", summary: "Read a user", ...readOne, role: "admin", params: byId, response: user },
  updateUser: {
    tag: "Users",
    summary: "Change a user",
    role: "admin",
    status: 200,
    etag: true,
    params: byId,
    body: userPatch,
    response: user,
    errors: ["not_found", "already_exists", "stale_edit", "last_admin"],
  },
  deleteUser: {
    tag: "Users",
    summary: "Remove a user and their sessions",
    role: "admin",
    status: 204,
    etag: true,
    params: byId,
    errors: ["not_found", "stale_edit", "last_admin"],
  },
  createResetLink: {
    tag: "Users",
    summary: "Make a link with which the user chooses a password",
    role: "admin",
    status: 201,
    params: byId,
    response: resetLink,
    errors: ["not_found"],
  },
  endUserSessions: {
    tag: "Users",
    summary: "End every session of a user",
    role: "admin",
    status: 204,
    params: byId,
    errors: ["not_found"],
  },
} as const satisfies RouteTable;
