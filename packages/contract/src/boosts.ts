/** Priority boosts: a temporary weight for a tenant, in one model's pool or in all. Ends by itself. */
import { z } from "zod";
import { MAX_BOOST_FACTOR, MIN_BOOST_FACTOR } from "./bounds";
import { freeText, idOrName, isoTime, isoTimeOut, line, paging, uuid, version, weight } from "./common";

/** Longest life of a boost. */
export const MAX_BOOST_HOURS = 24;

export const boost = z
  .strictObject({
    id: uuid,
    tenant_id: uuid,
    tenant_name: z.string(),
    model: z.string().nullable().describe("Null: every pool. A model's own boost wins in its pool."),
    factor: z.number().describe("What the tenant's weight is multiplied by."),
    weight: z.int().nullable().describe("Set when the boost was given as a weight."),
    reason: z.string(),
    expires_at: isoTimeOut,
    state: z.enum(["active", "ended"]),
    created_by: z.string(),
    created_at: isoTimeOut,
    ended_at: isoTimeOut.nullable(),
    ended_by: z.string().nullable().describe("`system` when it ran out."),
    replaces: uuid.nullable().describe("The boost of the same tenant and scope that this one ended."),
    version,
  })
  .meta({ id: "Boost" });
export type Boost = z.infer<typeof boost>;

export const boostCreate = z
  .strictObject({
    tenant_id: uuid,
    model: idOrName.nullable().default(null),
    factor: z.number().min(MIN_BOOST_FACTOR).max(MAX_BOOST_FACTOR).optional(),
    weight: weight.optional(),
    reason: freeText.min(1).regex(/\S/u, "must say why"),
    expires_at: isoTime,
  })
  .refine((body) => (body.factor === undefined) !== (body.weight === undefined), {
    path: ["factor"],
    error: "give either factor or weight",
  });
/** A boost in force, in a configuration file. */
export const configBoost = z.strictObject({
  id: uuid,
  tenant_id: uuid,
  model: line.nullable(),
  factor: z.number().min(MIN_BOOST_FACTOR).max(MAX_BOOST_FACTOR).nullable(),
  weight: weight.nullable(),
  reason: freeText.min(1),
  expires_at: isoTime,
  created_by: line,
});
export const boostQuery = z.strictObject({
  ...paging,
  sort: z.enum(["created_at", "expires_at"]).default("created_at"),
  dir: z.enum(["asc", "desc"]).default("desc"),
  state: z.enum(["active", "ended", "all"]).default("active"),
  tenant_id: uuid.optional(),
});
