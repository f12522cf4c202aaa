import type { Owner } from "./events";
import type { Key } from "./state";

/** The names a key's records leave the engine under. */
export function ownerOf({ id, tenant }: Key): Owner {
  return { pool: tenant.pool.id, groupId: tenant.group.id, tenantId: tenant.id, keyId: id };
}
