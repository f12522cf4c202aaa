export { InvariantError } from "./assert";
export { DECISION_KINDS, type Decision, type DecisionKind } from "./decisions";
export {
  type Claim,
  type Effect,
  type Grant,
  type Hold,
  REFUSALS,
  type Refusal,
  type Refuse,
  type Release,
} from "./effects";
export { createEngine, decisionsSince, step, waitingTags } from "./engine";
export {
  type AffinitySettings,
  CLAIM_REFUSALS,
  type ClaimOutcome,
  type ClaimRefusal,
  type ClaimSettled,
  type EngineEvent,
  type LimitsChanged,
  type Owner,
  type PolicyChanged,
  type PoolChanged,
} from "./events";
export * from "./explain";
export * from "./ids";
export { effectiveWeight, type GroupPolicy, type KeyPolicy, LARGEST_WEIGHT, type TenantPolicy } from "./policy";
export { splitLimit } from "./shares";
export * from "./snapshot";
export type { EngineConfig, EngineState } from "./state";
export { type PoolSample, sample, snapshot } from "./take-snapshot";
