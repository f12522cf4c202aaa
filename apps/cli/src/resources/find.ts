/** From what a person types to the object it means. */

import { CommandError, usageError } from "../failure";
import type { Session } from "../session";
import { type LooseClient, listRows, loosely, type Row, rowsNamed, textOf } from "./loose-client";
import type { Resource } from "./resources";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export interface Found {
  readonly row: Row;
  /** What the API's path takes. */
  readonly ref: string;
  readonly etag: string | null;
  /** For messages and questions. */
  readonly title: string;
}

/** A tenant's id, from its id or name. */
export async function tenantId(session: Session, idOrName: string): Promise<string> {
  if (UUID.test(idOrName)) return idOrName;
  const found = await rowsNamed(loosely(session.api), "listTenants", { name: idOrName });
  return theOnly(found, { kind: "tenant", asked: idOrName });
}

/** A key's id, from its id, or its name where only one key has it. */
export async function keyId(session: Session, idOrName: string, tenant?: string): Promise<string> {
  if (UUID.test(idOrName)) return idOrName;
  const query = tenant === undefined ? {} : { tenant_id: await tenantId(session, tenant) };
  const found = await rowsNamed(loosely(session.api), "listKeys", { name: idOrName, query });
  return theOnly(found, { kind: "key", asked: idOrName });
}

export async function findOne(
  session: Session,
  resource: Resource,
  asked: { readonly ref: string; readonly tenant?: string | undefined },
): Promise<Found> {
  const client = loosely(session.api);
  const ref = await refOf(session, resource, asked);
  if (resource.get === null) return inList(client, resource, ref);
  const { data, etag } = await client.call(resource.get, { params: { [resource.param]: ref } });
  const row = data as Row;
  return { row, ref, etag, title: titleOf(resource, row) };
}

export function titleOf(resource: Resource, row: Row): string {
  if (resource.hasName) return `${resource.singular} ${textOf(row, "name")}`;
  return `${resource.singular} of ${textOf(row, "tenant_name")}`;
}

async function refOf(
  session: Session,
  resource: Resource,
  { ref, tenant }: { readonly ref: string; readonly tenant?: string | undefined },
): Promise<string> {
  if (resource.takesNames || !resource.hasName) return ref;
  return resource.plural === "keys" ? keyId(session, ref, tenant) : tenantId(session, ref);
}

async function inList(client: LooseClient, resource: Resource, id: string): Promise<Found> {
  const query = { state: "all" };
  const { items } = await listRows(client, resource.list, { query, limit: Number.POSITIVE_INFINITY });
  const row = items.find((one) => one.id === id);
  if (row === undefined)
    throw new CommandError(`There is no ${resource.singular} with the id ${id}.`, { code: "not_found" });
  return { row, ref: id, etag: null, title: titleOf(resource, row) };
}

function theOnly(found: readonly Row[], about: { kind: string; asked: string }): string {
  const [first, second] = found;
  if (first === undefined) {
    const hint = `obleth ${about.kind}s list shows what there is.`;
    throw new CommandError(`There is no ${about.kind} named ${about.asked}.`, { hint, code: "not_found" });
  }
  if (second !== undefined) {
    const which = found.map((row) => `${textOf(row, "id")} (${textOf(row, "tenant_name")})`).join(", ");
    throw usageError(`${found.length} ${about.kind}s are named ${about.asked}.`, `Give --tenant or an id: ${which}.`);
  }
  return textOf(first, "id");
}
