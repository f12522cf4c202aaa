/** How often a tenant was refused lately, and with which answer. Bounded in time, so few partitions are read. */
import { and, count, desc, eq, gte } from "drizzle-orm";
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
