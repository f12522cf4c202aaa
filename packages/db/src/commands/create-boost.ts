import { and, eq, isNull } from "drizzle-orm";
import type { Db } from "../client";
import { type BoostView, findBoost } from "../queries/read-boosts";
import { findModelName } from "../queries/read-models";
import { findTenant } from "../queries/read-tenants";
import { boosts } from "../schema";
import { boostAudit, boostTitle } from "./boost-audit";
import { type Change, type ChangeContext, type Changed, change } from "./change";
import { Refusal } from "./refusal";

/** Longest life of a boost; longer ones are forgotten by those who made them. */
const MAX_LIFE_MS = 24 * 3_600_000;

export interface NewBoost {
  readonly tenantId: string;
  /** A model's id, name or alias; null: every pool. */
  readonly model: string | null;
  /** Exactly one of the two. */
  readonly factor: number | null;
  readonly weight: number | null;
  readonly reason: string;
  readonly expiresAt: Date;
}

/** Boosts a tenant; an open boost of the same tenant and scope ends for it. */
export function createBoost(db: Db, context: ChangeContext, wanted: NewBoost): Promise<Changed<BoostView>> {
  return change(db, context, (inside) => addBoost(inside, wanted));
}

async function addBoost(inside: Change, wanted: NewBoost): Promise<BoostView> {
  const { tx, now } = inside;
  const lifeMs = wanted.expiresAt.getTime() - now.getTime();
  if (lifeMs <= 0) throw new Refusal("invalid_request", "expires_at must lie in the future.", "expires_at");
  if (lifeMs > MAX_LIFE_MS) {
    throw new Refusal("invalid_request", "expires_at must lie within 24 hours.", "expires_at");
  }
  const tenant = await findTenant(tx, wanted.tenantId);
  if (tenant === undefined) throw new Refusal("invalid_request", "There is no such tenant.", "tenant_id");
  const model = wanted.model === null ? null : await findModelName(tx, wanted.model);
  if (model === undefined) throw new Refusal("invalid_request", `There is no model ${wanted.model}.`, "model");
  const scope = model === null ? isNull(boosts.modelId) : eq(boosts.modelId, model.id);
  const [replaced] = await tx
    .update(boosts)
    .set({ endedAt: now, endedBy: inside.context.actor, updatedAt: now })
    .where(and(eq(boosts.tenantId, tenant.id), scope, isNull(boosts.endedAt)))
    .returning({ id: boosts.id });
  const [added] = await tx
    .insert(boosts)
    .values({
      tenantId: tenant.id,
      modelId: model?.id ?? null,
      factor: wanted.factor,
      weight: wanted.weight,
      reason: wanted.reason,
      expiresAt: wanted.expiresAt,
      createdBy: inside.context.actor,
      replaces: replaced?.id ?? null,
      createdAt: now,
      updatedAt: now,
    })
    .returning({ id: boosts.id });
  const boost = added && (await findBoost(tx, added.id));
  if (boost === undefined) throw new Error("a row just inserted is not there");
  const before = replaced && (await findBoost(tx, replaced.id));
  inside.audit({
    action: before === undefined ? "boost.create" : "boost.replace",
    type: "boost",
    id: boost.id,
    name: boostTitle(boost),
    before: before === undefined ? null : boostAudit(before),
    after: boostAudit(boost),
    isReversible: true,
  });
  inside.touch({ kind: "tenant", id: tenant.id }, { kind: "boost", id: boost.id });
  return boost;
}
