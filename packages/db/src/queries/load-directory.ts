/** Who is configured, with or without work: what previews need beside the live state. Three statements. */
import { sql } from "drizzle-orm";
import type { Tx } from "../client";

export interface Directory {
  readonly groups: readonly { readonly name: string; readonly weight: number }[];
  readonly tenants: readonly DirectoryTenant[];
  readonly keys: readonly {
    readonly id: string;
    readonly tenantId: string;
    readonly name: string;
    readonly weight: number;
    readonly maxInFlight: number | null;
  }[];
}

export interface DirectoryTenant {
  readonly id: string;
  readonly name: string;
  readonly group: string;
  readonly weight: number;
  readonly maxInFlight: number | null;
  readonly modelCaps: readonly { readonly model: string; readonly maxInFlight: number | null }[];
  /** Models with an open boost of their own. */
  readonly boostedModels: readonly string[];
}

/** Suspended tenants and disabled keys are left out: they cannot take a slot. */
export async function loadDirectory(db: Tx, nowMs: number): Promise<Directory> {
  const now = new Date(nowMs).toISOString();
  const groups = await db.execute<{ name: string; weight: number }>(sql`select name, weight from groups order by name`);
  const tenants = await db.execute<DirectoryTenant & Record<string, unknown>>(sql`
    select t.id, t.name, g.name as "group", t.weight, t.max_in_flight as "maxInFlight",
      coalesce((select jsonb_agg(jsonb_build_object('model', m.name, 'maxInFlight', c.max_in_flight) order by m.name)
        from tenant_model_caps c join models m on m.id = c.model_id where c.tenant_id = t.id), '[]') as "modelCaps",
      coalesce((select jsonb_agg(m.name order by m.name) from boosts b join models m on m.id = b.model_id
        where b.tenant_id = t.id and b.ended_at is null and b.expires_at > ${now}::timestamptz), '[]') as "boostedModels"
    from tenants t join groups g on g.id = t.group_id where t.status = 'active' order by t.name`);
  const keys = await db.execute<Directory["keys"][number] & Record<string, unknown>>(sql`
    select id, tenant_id as "tenantId", name, weight, max_in_flight as "maxInFlight" from keys
    where not disabled and (expires_at is null or expires_at > ${now}::timestamptz) order by name`);
  return { groups, tenants, keys };
}
