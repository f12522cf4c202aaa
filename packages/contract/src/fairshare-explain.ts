/** Why a tenant's next request waits, as data and as words. */
import { z } from "zod";
import { count, idOrName, tsMs, uuid } from "./common";
import { waitReason } from "./fairshare-live";

const numbers = z
  .record(z.string(), z.union([z.number(), z.string(), z.boolean(), z.null()]))
  .describe("The numbers and names that the sentence rests on.");

export const explainAction = z
  .strictObject({
    id: z.string().describe("What it does, such as `raise_weight`."),
    label: z.string(),
    method: z.string().nullable().describe("Of the route that would do it; null when no route does."),
    path: z.string().nullable().describe("Of that route, below /api/v1."),
    value: z.number().nullable().describe("The smallest value that changes the outcome, where there is one."),
  })
  .meta({ id: "ExplainAction" });

export const explanation = z
  .strictObject({
    tenant_id: z.string(),
    name: z.string(),
    reason: waitReason,
    cause: z.string().nullable(),
    text: z.string().describe("One or two sentences."),
    breakdown_text: z.string().nullable(),
    numbers,
    notes: z.array(z.strictObject({ note: z.string(), text: z.string(), numbers })),
    breakdown: z.array(z.strictObject({ reason: waitReason, requests: count })),
    holders: z
      .array(
        z.strictObject({
          tenant_id: z.string(),
          name: z.string(),
          slots_above: count,
          since_ts_ms: tsMs.nullable(),
        }),
      )
      .describe("Tenants above their share, most first."),
    position: z.int().min(1).nullable(),
    ahead: count.nullable().describe("Requests likely to go first."),
    finish_gap_ms: z.number().nullable().describe("Mean time between finishes; null with too few of them."),
    estimated_wait_ms: z.number().nullable(),
    actions: z.array(explainAction),
  })
  .meta({ id: "Explanation" });
export type Explanation = z.infer<typeof explanation>;

export const explainAnswer = z
  .strictObject({ ts_ms: tsMs, pool: z.string(), explanations: z.array(explanation) })
  .meta({ id: "ExplainAnswer" });
export type ExplainAnswer = z.infer<typeof explainAnswer>;

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

export const explainQuery = z.strictObject({
  pool: idOrName,
  tenant_id: uuid.optional().describe("Left out: every tenant that waits here."),
  time_zone: z
    .string()
    .refine(isTimeZone, "must be the name of a time zone such as Asia/Kathmandu")
    .optional()
    .describe("Times of day in the sentences are of this zone, such as `Europe/Berlin`; UTC when left out."),
});
export type ExplainQuery = z.infer<typeof explainQuery>;
