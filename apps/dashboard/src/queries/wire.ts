/** The management API's answers, as the pages read them. Types only: no schema reaches the browser. */
import type { LiveTenant } from "@obleth/contract";

export type {
  AuditRow,
  Boost,
  Capacity,
  Cluster,
  ClusterReplica,
  ClusterSettings,
  ExplainAnswer,
  Explanation,
  FairshareHistory,
  FairshareLive as Live,
  Group,
  HistoryPoint,
  Key,
  LiveGroup,
  LiveKey,
  LivePool,
  LiveTenant,
  Me,
  Model,
  Overview,
  OverviewItem,
  PreviewAnswer,
  PreviewChange,
  PreviewPool,
  Tenant,
  UsageSummary,
  User,
} from "@obleth/contract";

export type LiveBoost = NonNullable<LiveTenant["boost"]>;
