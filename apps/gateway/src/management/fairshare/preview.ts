/** Previews for the API: names are looked up, values checked, and the engine's own split asked on the live state. */
import {
  MAX_WEIGHT,
  type PreviewAnswer,
  type PreviewBody,
  type PreviewPool,
  refusedValue,
  slots,
  weight,
} from "@obleth/contract";
import { type Directory, findModelName, loadDirectory, readTogether } from "@obleth/db";
import {
  flagWords,
  movementWords,
  nextStepWords,
  type PartChange,
  type PoolPreview,
  type PreviewChange,
  previewChanges,
  previewHeadline,
} from "@obleth/fairshare/preview";
import { z } from "zod";
import type { ManagementDeps } from "../deps";
import { Fault } from "../http/fault";

/** A boost as a factor. One that gives a weight is the ratio of two weights, so anything between those is possible. */
const boostFactor = z
  .number()
  .min(1 / MAX_WEIGHT)
  .max(MAX_WEIGHT);

export async function previewOf(deps: ManagementDeps, body: PreviewBody): Promise<PreviewAnswer> {
  const picture = deps.picture();
  const directory = await readTogether(deps.db, (tx) => loadDirectory(tx, deps.clock.wallMs()));
  const pool = body.pool === undefined ? undefined : await poolName(deps, body.pool);
  const changes: PreviewChange[] = [];
  for (const [index, change] of body.changes.entries()) changes.push(await readChange(deps, change, index));
  const { mode, replicas } = deps.live({ fields: "summary" }).state;
  const preview = previewChanges({
    engine: picture.engine,
    changes,
    assume: body.assume,
    directory: { ...directory, groups: directory.groups.map(({ name, weight: w }) => ({ id: name, weight: w })) },
    splitOver: mode === "fallback" || mode === "split" ? Math.max(1, replicas) : 1,
    ...(pool === undefined ? {} : { pool }),
  });
  const nameOf = namesOf(directory);
  return {
    ts_ms: picture.tsMs,
    config_version: picture.configVersion,
    assume: body.assume,
    summary: previewHeadline(preview, changes, nameOf),
    moved_slots: preview.movedSlots,
    moved_pools: preview.movedPools,
    pools: preview.pools.map((one) =>
      poolJson(one, { summary: previewHeadline({ ...preview, pools: [one] }, changes, nameOf), nameOf }),
    ),
  };
}

type NameOf = (id: string) => string;

function namesOf(directory: Directory): NameOf {
  const names = new Map([...directory.tenants, ...directory.keys].map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? id;
}

function poolJson(preview: PoolPreview, words: { summary: string; nameOf: NameOf }): PreviewPool {
  const { nameOf } = words;
  const [step] = preview.nextSteps;
  const movers = (kind: "group" | "tenant", list: PoolPreview["donors"]) =>
    list.map(({ id, slots: count }) => ({ type: kind, id, name: nameOf(id), slots: count }));
  return {
    pool: preview.pool,
    size_before: preview.size.before,
    size_after: preview.size.after,
    usable_before: preview.usable.before,
    usable_after: preview.usable.after,
    summary: words.summary,
    moved: preview.moved,
    groups: preview.groups.map((group) => ({ name: group.id, ...splitJson(group) })),
    tenants: preview.tenants.map((tenant) => ({
      tenant_id: tenant.id,
      name: nameOf(tenant.id),
      group_before: tenant.group.before,
      group_after: tenant.group.after,
      ...splitJson(tenant),
    })),
    keys: preview.keys.map((key) => ({
      key_id: key.id,
      tenant_id: key.tenantId,
      name: nameOf(key.id),
      ...splitJson(key),
    })),
    gives_up: [...movers("group", preview.groupDonors), ...movers("tenant", preview.donors)],
    gains: [...movers("group", preview.groupGainers), ...movers("tenant", preview.gainers)],
    to_finish: preview.toFinish,
    finish_estimate_ms: preview.finishEstimateMs,
    movement: movementWords(preview),
    flags: preview.flags.map((flag) => ({
      flag: flag.flag,
      id: "id" in flag ? flag.id : null,
      text: flagWords(flag, preview, nameOf),
    })),
    next_step:
      step === undefined ? null : { ...step, text: nextStepWords(step, step.slots !== slotsBefore(preview, step.id)) },
  };
}

function slotsBefore(preview: PoolPreview, id: string): number | undefined {
  return [...preview.groups, ...preview.tenants, ...preview.keys].find((part) => part.id === id)?.slots.before;
}

function splitJson(part: PartChange) {
  return {
    weight_before: part.weight.before,
    weight_after: part.weight.after,
    slots_before: part.slots.before,
    slots_after: part.slots.after,
    fair_share_before: part.fairShare.before,
    fair_share_after: part.fairShare.after,
    settled_before: part.settled.before,
    settled_after: part.settled.after,
    in_use: part.inUse,
    queued: part.queued,
  };
}

type Draft = PreviewBody["changes"][number];

/** A change as the engine takes it; refuses a value that the write itself would refuse. */
async function readChange(deps: ManagementDeps, change: Draft, index: number): Promise<PreviewChange> {
  const { kind, id } = change;
  const field = `changes.${index}.value`;
  switch (kind) {
    case "group_weight":
    case "tenant_weight":
    case "key_weight":
      return { kind, id, value: checkedValue(weight, change.value, field) };
    case "tenant_cap":
    case "key_cap":
      return { kind, id, value: checkedValue(slots.nullable(), change.value, field) };
    case "tenant_model_cap": {
      const model = await modelOf(deps, change, index);
      if (model === null) throw new Fault("invalid_request", "Say which model.", { field: `changes.${index}.model` });
      return {
        kind,
        id,
        model,
        value: checkedValue(z.union([slots.nullable(), z.literal("tenant")]), change.value, field),
      };
    }
    case "pool_size":
    case "admission_weight":
      return { kind, id: await poolName(deps, id), value: checkedValue(slots, change.value, field) };
    case "tenant_group":
      return { kind, id, value: checkedValue(z.string().min(1), change.value, field) };
    case "boost": {
      const model = await modelOf(deps, change, index);
      return { kind, id, model, value: checkedValue(boostFactor, change.value, field) };
    }
  }
}

function checkedValue<Value>(schema: z.ZodType<Value>, value: unknown, field: string): Value {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { rule } = refusedValue(parsed.error, { schema, value, part: "field" });
  throw new Fault("invalid_request", `${field} ${rule}.`, { field });
}

async function modelOf(deps: ManagementDeps, change: Draft, index: number): Promise<string | null> {
  if (change.model === undefined) return null;
  const model = await findModelName(deps.db, change.model);
  if (model !== undefined) return model.name;
  throw new Fault("invalid_request", `There is no model ${change.model}.`, { field: `changes.${index}.model` });
}

/** A pool by its model's id, name or alias; a name that is none of these may be a pool all the same. */
async function poolName(deps: ManagementDeps, idOrName: string): Promise<string> {
  return (await findModelName(deps.db, idOrName))?.name ?? idOrName;
}
