/** Names and colours for what the scheduler knows by id, for the live state and its explanations. */
import { sql } from "drizzle-orm";
import type { Tx } from "../client";

export interface Labels {
  readonly groups: readonly { readonly name: string; readonly color: number; readonly weight: number }[];
  readonly tenants: readonly { readonly id: string; readonly name: string; readonly group: string }[];
  readonly keys: readonly { readonly id: string; readonly name: string; readonly tenantId: string }[];
}

export async function loadLabels(db: Tx): Promise<Labels> {
  const groups = await db.execute<{ name: string; color: number; weight: number }>(
    sql`select name, color, weight from groups order by name`,
  );
  const tenants = await db.execute<{ id: string; name: string; group: string }>(
    sql`select t.id, t.name, g.name as "group" from tenants t join groups g on g.id = t.group_id`,
  );
  const keys = await db.execute<{ id: string; name: string; tenantId: string }>(
    sql`select id, name, tenant_id as "tenantId" from keys`,
  );
  return { groups, tenants, keys };
}
