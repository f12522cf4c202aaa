import type { Boost } from "@obleth/contract";
import { type BoostView, createBoost, endBoost, listBoosts, readTogether, toJson } from "@obleth/db";
import type { ManagementDeps } from "../deps";
import { writtenReply } from "../fairshare/dry-run";
import { answer, type Handlers } from "../http/call";

export function boostHandlers(deps: ManagementDeps): Pick<Handlers, "listBoosts" | "createBoost" | "endBoost"> {
  const { db } = deps;
  return {
    listBoosts: async ({ query }) => {
      const { tenant_id: tenantId, ...rest } = query;
      const nowMs = deps.clock.wallMs();
      const page = await readTogether(db, (tx) => listBoosts(tx, { ...rest, tenantId, nowMs }));
      return answer("listBoosts", {
        items: page.items.map((boost) => boostJson(boost, nowMs)),
        next_cursor: page.nextCursor,
        total: page.total,
      });
    },
    createBoost: async ({ body, context }) => {
      const changed = await createBoost(db, context, {
        tenantId: body.tenant_id,
        model: body.model,
        factor: body.factor ?? null,
        weight: body.weight ?? null,
        reason: body.reason,
        expiresAt: new Date(body.expires_at),
      });
      const boost = changed.value;
      const move = {
        kind: "boost" as const,
        id: boost.tenantId,
        value: factorOf(boost),
        ...(boost.model === null ? {} : { model: boost.model }),
      };
      const reply = answer("createBoost", boostJson(boost, context.nowMs), boost.version);
      return writtenReply({ deps, context, changed, moves: [move] }, reply);
    },
    endBoost: async ({ params, context, expectedVersion }) => {
      const changed = await endBoost(db, context, { id: params.id, expectedVersion });
      return writtenReply({ deps, context, changed }, {});
    },
  };
}

export function boostJson(view: BoostView, nowMs: number): Boost {
  const { tenantWeight: _weight, modelId: _model, updatedAt: _updated, factor: _factor, ...boost } = view;
  const isActive = view.endedAt === null && view.expiresAt.getTime() > nowMs;
  return { ...toJson(boost), factor: factorOf(view), state: isActive ? "active" : "ended" };
}

/** A boost given as a weight is the factor that turns the tenant's weight into it. */
function factorOf(boost: BoostView): number {
  return boost.factor ?? (boost.weight ?? boost.tenantWeight) / boost.tenantWeight;
}
