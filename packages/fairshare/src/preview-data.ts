/** The shape of a preview: what it is asked and what it answers. Data only; see `preview.ts` for the rules. */
import type { EngineSnapshot } from "./snapshot";

/**
 * One change of a draft. `id` names a group, tenant or key by id, a pool by its model's name. A cap of null is no cap;
 * `"tenant"` for a model's own cap takes it away, so that the tenant's cap counts again. A boost's value is its factor,
 * 1 for ending it; without a model it counts in all pools where no model's own boost is in force.
 */
export type PreviewChange =
  | { readonly kind: "group_weight" | "tenant_weight" | "key_weight"; readonly id: string; readonly value: number }
  | { readonly kind: "tenant_cap" | "key_cap"; readonly id: string; readonly value: number | null }
  | {
      readonly kind: "tenant_model_cap";
      readonly id: string;
      readonly model: string;
      readonly value: number | null | "tenant";
    }
  | { readonly kind: "pool_size" | "admission_weight"; readonly id: string; readonly value: number }
  | { readonly kind: "tenant_group"; readonly id: string; readonly value: string }
  | { readonly kind: "boost"; readonly id: string; readonly value: number; readonly model?: string | null };

/** Every kind of change, for the checks that a page and the API know them all. */
export const PREVIEW_KINDS = [
  "group_weight",
  "tenant_weight",
  "key_weight",
  "tenant_cap",
  "key_cap",
  "tenant_model_cap",
  "pool_size",
  "admission_weight",
  "tenant_group",
  "boost",
] as const satisfies readonly PreviewChange["kind"][];

/** What is configured, beside what has work: needed for idle tenants, for moves into idle groups, for caps. */
export interface Directory {
  readonly groups: readonly { readonly id: string; readonly weight: number }[];
  readonly tenants: readonly DirectoryTenant[];
  /** Of all tenants. */
  readonly keys: readonly DirectoryKey[];
}

/** A tenant as configured, whether or not it has work. */
export interface DirectoryTenant {
  readonly id: string;
  readonly group: string;
  /** Before boost and the model's percentage. */
  readonly weight: number;
  /** The tenant's own cap; null for none. */
  readonly maxInFlight: number | null;
  /** Caps on single models, which replace the tenant's own there. */
  readonly modelCaps: readonly { readonly model: string; readonly maxInFlight: number | null }[];
  /** Models with a boost of their own, which beats one for all models. */
  readonly boostedModels: readonly string[];
}

/** A key as configured, whether or not it has work. */
export interface DirectoryKey {
  readonly id: string;
  readonly tenantId: string;
  readonly weight: number;
  /** Slots in each pool; null for none. */
  readonly maxInFlight: number | null;
}

/** A draft, and the picture it is tried on. Nothing else is looked at: the same input gives the same preview. */
export interface PreviewInput {
  readonly engine: EngineSnapshot;
  /** Made one after another; of two for the same value the later counts. One of something unknown does nothing. */
  readonly changes: readonly PreviewChange[];
  /** `all`: as if every tenant in the directory had work in each pool. Default `active`. */
  readonly assume?: "active" | "all";
  /** Only this pool, whether or not the draft touches it. */
  readonly pool?: string;
  /** Without it only tenants and keys with work, and groups of such, can be changed. */
  readonly directory?: Directory;
  /** Gateways that limits are divided over: 1 except in the modes `fallback` and `split`. */
  readonly splitOver?: number;
}

/** One group, tenant or key before and after. Slots are whole; `fairShare` is the fraction behind them. */
export interface PartChange {
  readonly id: string;
  /** Weight it is split by: effective for tenants. */
  readonly weight: { readonly before: number; readonly after: number };
  /** Slots while everyone with work wants all it can get. */
  readonly slots: { readonly before: number; readonly after: number };
  /** Weight share times usable slots, not rounded. */
  readonly fairShare: { readonly before: number; readonly after: number };
  /** Slots once today's demand has settled: an estimate. */
  readonly settled: { readonly before: number; readonly after: number };
  /** Slots in use, running and held. */
  readonly inUse: number;
  /** Requests that wait. */
  readonly queued: number;
}

/** A tenant before and after; a move shows in `group`. */
export interface TenantChange extends PartChange {
  readonly group: { readonly before: string; readonly after: string };
}

/** A key before and after. */
export interface KeyChange extends PartChange {
  readonly tenantId: string;
}

/** Who gains or gives slots; slots at least 1. */
export interface Mover {
  readonly id: string;
  readonly slots: number;
}

/** What somebody should look at before saving, with the numbers that make it true. */
export type PreviewFlag =
  /** The tenant would wait with less than its share while another has more than its own; so far it does not. */
  | { readonly flag: "crosses_below_share"; readonly id: string }
  /** A part of several slots would be one, or none, which counts as one. */
  | { readonly flag: "share_down_to_one"; readonly level: "group" | "tenant"; readonly id: string }
  | {
      /** More runs than the new cap allows: nothing of it starts until enough has finished. */
      readonly flag: "cap_under_use";
      readonly level: "tenant" | "key";
      readonly id: string;
      readonly cap: number;
      readonly inUse: number;
    }
  | {
      /** The share could not be used up; what the cap leaves of it is lent to others. */
      readonly flag: "cap_under_share";
      readonly level: "tenant" | "key";
      readonly id: string;
      readonly cap: number;
      readonly share: number;
    }
  /** The tenant's weight has no sibling to be compared with, so changing it changes nothing. */
  | { readonly flag: "alone_in_group"; readonly id: string; readonly group: string }
  /** Weights change and every part rounds to the slots it had. */
  | { readonly flag: "no_change_rounding" }
  /** More runs than the new size: nothing starts until enough has finished. */
  | { readonly flag: "size_under_use"; readonly size: number; readonly inUse: number }
  /** The pools' sizes together would pass the ceiling, which then decides instead of them. */
  | { readonly flag: "pools_over_ceiling"; readonly sum: number; readonly ceiling: number }
  /** Fewer slots than groups (tenants under `weighted`): each counts as having one, and they take turns. */
  | { readonly flag: "takers_outnumber_slots"; readonly slots: number; readonly takers: number }
  /** The snapshot does not list every tenant, so the numbers may differ from the scheduler's. */
  | { readonly flag: "list_cut" }
  /** Nothing of the pool runs, waits or is held; the split is the one there would be. */
  | { readonly flag: "no_work" };

/** The nearest weights at which a changed weight would change its own slots; null when none would. */
export interface NextStep {
  readonly kind: "group_weight" | "tenant_weight" | "key_weight";
  readonly id: string;
  /** The draft's weight, and the slots it gets with it. */
  readonly value: number;
  readonly slots: number;
  /** The smallest larger weight that gets more, and how many. */
  readonly up: { readonly value: number; readonly slots: number } | null;
  /** The largest smaller weight that gets fewer, and how many. */
  readonly down: { readonly value: number; readonly slots: number } | null;
}

/** What the draft would do in one pool. */
export interface PoolPreview {
  readonly pool: string;
  /** Slots in force on one gateway. */
  readonly size: { readonly before: number; readonly after: number };
  /** Slots the shares are split over. */
  readonly usable: { readonly before: number; readonly after: number };
  readonly groups: readonly PartChange[];
  readonly tenants: readonly TenantChange[];
  readonly keys: readonly KeyChange[];
  /** Groups, by slots, most first. Empty under `weighted`, where groups play no part. */
  readonly groupDonors: readonly Mover[];
  readonly groupGainers: readonly Mover[];
  /** Tenants, by slots, most first. */
  readonly donors: readonly Mover[];
  readonly gainers: readonly Mover[];
  /** Slots that change their tenant: the larger of all gains and all losses. */
  readonly moved: number;
  /** Running requests that must finish before the split holds. None is ever cut. */
  readonly toFinish: number;
  /** Time for that at the pace of the last five minutes; null when too few finished to say. 0 when nothing must. */
  readonly finishEstimateMs: number | null;
  /** Most serious first. */
  readonly flags: readonly PreviewFlag[];
  /** For each changed weight that takes part here. */
  readonly nextSteps: readonly NextStep[];
}

/** What the draft would do in every pool it touches. */
export interface Preview {
  readonly algorithm: EngineSnapshot["algorithm"];
  /** The pools the draft touches, in the snapshot's order. */
  readonly pools: readonly PoolPreview[];
  /** Sum over the pools, and in how many any slot moves. */
  readonly movedSlots: number;
  readonly movedPools: number;
}
