/** What the scheduler and the live state need of groups, tenants and keys: weights, caps, open boosts and names. */
import { sql } from "drizzle-orm";
import type { Tx } from "../client";
import type { BoostRow } from "./load-key-policy";

export interface GroupStandingRow {
  readonly id: string;
  readonly name: string;
  readonly weight: number;
  readonly color: number;
}

export interface TenantStandingRow {
  readonly id: string;
  readonly name: string;
  readonly weight: number;
  readonly maxInFlight: number | null;
  readonly groupName: string;
  readonly groupWeight: number;
  /** By canonical model name; null: no cap there. */
  readonly modelCaps: readonly { readonly model: string; readonly maxInFlight: number | null }[];
  readonly boosts: readonly BoostRow[];
}

export interface KeyStandingRow {
  readonly id: string;
  readonly tenantId: string;
  readonly name: string;
  readonly weight: number;
  readonly maxInFlight: number | null;
}

export async function loadGroupStandings(db: Tx): Promise<GroupStandingRow[]> {
  return await db.execute<GroupStandingRow & Record<string, unknown>>(
    sql`select id, name, weight, color from groups order by name`,
  );
}

/** Those of the ids that exist; all tenants when `ids` is left out. Boosts that ended by `nowMs` are left out. */
export async function loadTenantStandings(
  db: Tx,
  options: { nowMs: number; ids?: readonly string[] },
): Promise<TenantStandingRow[]> {
  const now = new Date(options.nowMs).toISOString();
  const among = options.ids === undefined ? sql`true` : sql`t.id = any(${uuidArray(options.ids)}::uuid[])`;
  return await db.execute<TenantStandingRow & Record<string, unknown>>(sql`
    select t.id, t.name, t.weight, t.max_in_flight as "maxInFlight", g.name as "groupName", g.weight as "groupWeight",
      coalesce(caps.list, '[]'::jsonb) as "modelCaps", coalesce(open.list, '[]'::jsonb) as boosts
    from tenants t join groups g on g.id = t.group_id
    left join (
      select c.tenant_id, jsonb_agg(jsonb_build_object('model', m.name, 'maxInFlight', c.max_in_flight)) as list
      from tenant_model_caps c join models m on m.id = c.model_id group by c.tenant_id
    ) caps on caps.tenant_id = t.id
    left join (
      select b.tenant_id, jsonb_agg(jsonb_build_object('id', b.id, 'model', m.name, 'weight', b.weight,
        'factor', coalesce(b.factor, b.weight::float8 / bt.weight), 'reason', b.reason, 'createdBy', b.created_by,
        'expiresAtMs', round(extract(epoch from b.expires_at) * 1000)::float8)) as list
      from boosts b join tenants bt on bt.id = b.tenant_id left join models m on m.id = b.model_id
      where b.ended_at is null and b.expires_at > ${now}::timestamptz group by b.tenant_id
    ) open on open.tenant_id = t.id
    where ${among}`);
}

/** Those of the ids that exist. */
export async function loadKeyStandings(db: Tx, ids: readonly string[]): Promise<KeyStandingRow[]> {
  return await db.execute<KeyStandingRow & Record<string, unknown>>(sql`
    select id, tenant_id as "tenantId", name, weight, max_in_flight as "maxInFlight"
    from keys where id = any(${uuidArray(ids)}::uuid[])`);
}

/** A Postgres array literal as one parameter. Ids that are not uuids are left out: they name nothing. */
function uuidArray(ids: readonly string[]): string {
  return `{${ids.filter((id) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)).join(",")}}`;
}
