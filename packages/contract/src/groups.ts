/** Groups: the first level a pool is split over. The name is the id in routes. */
import { z } from "zod";
import { count, isoTimeOut, nameMap, objectName, paging, textSearch, version, weight } from "./common";

export const group = z
  .strictObject({
    name: objectName,
    weight,
    color: z.int().min(0).max(1000).describe("Index of the group's colour, given at creation."),
    tenant_count: count,
    created_at: isoTimeOut,
    updated_at: isoTimeOut,
    version,
  })
  .meta({ id: "Group" });
export type Group = z.infer<typeof group>;

const color = z.int().min(0).max(1000);

export const groupCreate = z.strictObject({ name: objectName, weight: weight.default(100), color: color.optional() });
/** A group in a configuration file. */
export const configGroup = z.strictObject({ name: objectName, weight, color });
export const groupPatch = z.strictObject({ name: objectName, weight, color }).partial();
export const groupWeights = z.strictObject({
  weights: nameMap(weight, { maxKeys: 1000 }).describe("Group name to weight; all are changed or none."),
  versions: nameMap(version, { maxKeys: 1000 })
    .optional()
    .describe("Group name to the version that was read; a newer one refuses the whole change."),
});
export const groupWeightsResult = z.strictObject({ groups: z.array(group) });
export const groupQuery = z.strictObject({
  ...paging,
  sort: z.enum(["name", "weight", "created_at"]).default("name"),
  q: textSearch,
});
