/** What the route table says of one route, and what routes of one kind have in common. */
import { z } from "zod";
import { dryRun, idOrName, uuid } from "./common";
import type { ErrorCode } from "./error";
import type { RouteId } from "./paths";

export interface RouteSpec {
  readonly summary: string;
  readonly tag: string;
  /** Who may call it; `session` is whoever is signed in, whatever the role. */
  readonly role: "public" | "session" | "viewer" | "admin";
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly status: 200 | 201 | 204;
  /** Absent with 204, and for files that are not JSON. */
  readonly response?: z.ZodType;
  readonly contentType?: string;
  /** A changing route that answers `?dry_run=true` with a preview. */
  readonly dryRun?: true;
  /** The answer carries an ETag; with `If-Match` a change refuses to overwrite a newer version. Also the live state's. */
  readonly etag?: true;
  readonly errors: readonly ErrorCode[];
}

/** A part of the route table. */
export type RouteTable = { readonly [id in RouteId]?: RouteSpec };

export const byId = z.strictObject({ id: uuid });
export const byIdOrName = z.strictObject({ id: idOrName });
export const byName = z.strictObject({ name: idOrName });
export const byTenantModel = z.strictObject({ id: uuid, model: idOrName });
export const byEndpoint = z.strictObject({ id: idOrName, eid: uuid });
export const writing = z.strictObject(dryRun);

export const read = { role: "viewer", status: 200, errors: [] } as const;
export const readOne = { role: "viewer", status: 200, etag: true, errors: ["not_found"] } as const;
export const create = { role: "admin", status: 201, query: writing, dryRun: true, errors: ["already_exists"] } as const;
export const update = {
  role: "admin",
  status: 200,
  query: writing,
  dryRun: true,
  etag: true,
  errors: ["not_found", "already_exists", "stale_edit"],
} as const;
/** Several objects at once; their versions are in the body. */
export const updateMany = {
  role: "admin",
  status: 200,
  query: writing,
  dryRun: true,
  errors: ["not_found", "already_exists", "stale_edit"],
} as const;
export const remove = {
  role: "admin",
  status: 204,
  query: writing,
  dryRun: true,
  etag: true,
  errors: ["not_found", "stale_edit"],
} as const;
