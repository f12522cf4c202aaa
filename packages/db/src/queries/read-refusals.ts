/** How often requests were refused lately, and with which answer. Bounded in time, so few partitions are read. */
import { and, count, desc, eq, gte, inArray } from "drizzle-orm";
import type { Tx } from "../client";
import { usage } from "../schema/usage";

export interface Refusals {
  readonly statusCode: number;
  readonly requests: number;
}

/** By status, commonest first. */
export async function readRefusals(
  db: Tx,
  asked: { readonly tenantId: string; readonly model: string; readonly sinceMs: number },
): Promise<Refusals[]> {
  const requests = count();
  return await db
    .select({ statusCode: usage.statusCode, requests })
    .from(usage)
    .where(
      and(
        eq(usage.tenantId, asked.tenantId),
        eq(usage.model, asked.model),
        eq(usage.outcome, "refused"),
        gte(usage.tsMs, asked.sinceMs),
      ),
    )
    .groupBy(usage.statusCode)
    .orderBy(desc(requests), usage.statusCode);
}

/** Refused requests of each of these models; those without any are left out. */
export async function countRefusals(
  db: Tx,
  asked: { readonly models: readonly string[]; readonly sinceMs: number },
): Promise<ReadonlyMap<string, number>> {
  if (asked.models.length === 0) return new Map();
  const rows = await db
    .select({ model: usage.model, requests: count() })
    .from(usage)
    .where(and(inArray(usage.model, [...asked.models]), eq(usage.outcome, "refused"), gte(usage.tsMs, asked.sinceMs)))
    .groupBy(usage.model);
  return new Map(rows.flatMap(({ model, requests }) => (model === null ? [] : [[model, requests] as const])));
}
