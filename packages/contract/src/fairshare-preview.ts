/** What a change would do to everybody's slots, computed by the scheduler's own split on the live state. */
import { z } from "zod";
import { count, idOrName, line, tsMs } from "./common";

export const PREVIEW_KINDS = [
  "group_weight",
  "tenant_weight",
  "tenant_cap",
  "tenant_model_cap",
  "key_weight",
  "key_cap",
  "pool_size",
  "tenant_group",
  "admission_weight",
  "boost",
] as const;

export const previewChange = z
  .strictObject({
    kind: z.enum(PREVIEW_KINDS),
    id: idOrName.describe("Of what changes: a group's name, a tenant's or key's id, a model's name or id."),
    value: z.union([z.number(), line, z.null()]).describe("The new weight, cap, size, factor or group."),
    model: idOrName.optional().describe("The pool of `tenant_model_cap`, or of a boost for one pool."),
  })
  .meta({ id: "PreviewChange" });
export type PreviewChange = z.infer<typeof previewChange>;

export const previewBody = z.strictObject({
  pool: idOrName.optional().describe("Left out: every pool the changes touch."),
  changes: z.array(previewChange).min(1).max(200),
  assume: z.enum(["active", "all"]).default("active").describe("Who takes part: those with work, or everybody."),
});
export type PreviewBody = z.infer<typeof previewBody>;

const split = {
  weight_before: z.number().describe("What it is split by: the effective weight of a tenant."),
  weight_after: z.number(),
  slots_before: z.int().describe("Whole slots while everyone with work wants all it can get."),
  slots_after: z.int(),
  fair_share_before: z.number(),
  fair_share_after: z.number(),
  settled_before: z.int().describe("Slots with today's demand, an estimate."),
  settled_after: z.int(),
  in_use: count,
  queued: count,
};

const mover = z.strictObject({
  type: z.enum(["group", "tenant"]),
  id: z.string(),
  name: z.string(),
  slots: z.int().min(1),
});

const step = z.strictObject({ value: z.number(), slots: z.int() }).nullable();

export const previewPool = z
  .strictObject({
    pool: z.string(),
    size_before: z.int(),
    size_after: z.int(),
    usable_before: z.int(),
    usable_after: z.int(),
    summary: z.string().describe("One line in whole slots."),
    moved: count.describe("Slots that change their tenant."),
    groups: z.array(z.strictObject({ name: z.string(), ...split })),
    tenants: z.array(
      z.strictObject({
        tenant_id: z.string(),
        name: z.string(),
        group_before: z.string(),
        group_after: z.string(),
        ...split,
      }),
    ),
    keys: z.array(z.strictObject({ key_id: z.string(), tenant_id: z.string(), name: z.string(), ...split })),
    gives_up: z.array(mover).describe("Groups, then tenants; most slots first."),
    gains: z.array(mover),
    to_finish: count.describe("Requests that must finish before the new shares hold; none is cut."),
    finish_estimate_ms: z.number().nullable().describe("Null: too few finishes to tell."),
    movement: z.string().describe("`to_finish` and the estimate in words."),
    flags: z.array(z.strictObject({ flag: z.string(), id: z.string().nullable(), text: z.string() })),
    next_step: z
      .strictObject({
        kind: z.string(),
        id: z.string(),
        value: z.number(),
        slots: z.int(),
        up: step,
        down: step,
        text: z.string(),
      })
      .nullable()
      .describe("The nearest values of the first changed weight that would change its slots."),
  })
  .meta({ id: "PreviewPool" });
export type PreviewPool = z.infer<typeof previewPool>;

export const previewAnswer = z
  .strictObject({
    ts_ms: tsMs,
    config_version: count,
    assume: z.enum(["active", "all"]),
    summary: z.string(),
    moved_slots: count,
    moved_pools: count,
    pools: z.array(previewPool),
  })
  .meta({ id: "PreviewAnswer" });
export type PreviewAnswer = z.infer<typeof previewAnswer>;

/** What a write answers under `?dry_run=true`. */
export const dryRunAnswer = z
  .strictObject({
    dry_run: z.literal(true),
    before: z.record(z.string(), z.unknown()).nullable(),
    after: z.record(z.string(), z.unknown()).nullable(),
    preview: previewAnswer.nullable().describe("Null when no slot is concerned."),
  })
  .meta({ id: "DryRunAnswer" });
export type DryRunAnswer = z.infer<typeof dryRunAnswer>;
