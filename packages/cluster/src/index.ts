export { MemoryBudgets } from "./budgets/memory-budgets";
export { RedisBudgets } from "./budgets/redis-budgets";
export type {
  BudgetAnswer,
  BudgetBooks,
  MinuteLimit,
  Spend,
  TermLimit,
  TermUsage,
  TokenBudgets,
} from "./budgets/token-budget";
export type {
  Cluster,
  ClusterHost,
  ClusterLog,
  ClusterMember,
  ClusterOptions,
  ClusterSettings,
  ModeChange,
  RedisState,
} from "./cluster";
export { createCluster } from "./create-cluster";
export { CLUSTER_MODES, type ClusterMode, heartbeatTimes, type ModeState } from "./membership/mode";
export type { RedisSettings } from "./redis/connect";
export {
  type ClaimRequest,
  type ClusterSlots,
  type HoldChange,
  type HoldRequest,
  type SettleClaim,
  SLOT_CALLS,
  type SlotCall,
  type SlotsHost,
} from "./slots/cluster-slots";
export { Holdings } from "./slots/slot-fields";
export type { SlotOwner } from "./slots/slot-store";
export type { HeldSlot, OtherViews, ReadView, ReplicaView, UncutCounts } from "./views/view-store";
