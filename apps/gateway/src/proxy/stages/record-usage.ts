/** A request's line in the usage table, made when it has ended. */
import { effectiveWeight, UNROUTED } from "@obleth/fairshare";
import { tenantPolicyIn } from "../../policy-cache/tenant-policy";
import type { UsageRecord } from "../../usage/usage-record";
import type { Outcome, ProxyRequest } from "../proxy-request";
import { poolOf } from "./admit";
import { costUsd } from "./check-budget";

export interface Ending {
  readonly outcome: Outcome;
  readonly statusCode: number;
  /** Monotonic and wall time of the end. */
  readonly nowMs: number;
  readonly wallMs: number;
  readonly replica: string;
}

export function usageRecordOf(
  request: ProxyRequest,
  { outcome, statusCode, nowMs, wallMs, replica }: Ending,
): UsageRecord {
  const { key, model, usage } = request;
  const totalMs = Math.max(0, Math.round(nowMs - request.startedAtMs));
  return {
    requestId: request.id,
    tsMs: wallMs - totalMs,
    tenantId: key?.tenant.id ?? null,
    keyId: key?.policy.id ?? null,
    // Names nobody registered are the callers' to invent: they share one, like the pool.
    model: request.isRouted ? (model?.name ?? null) : UNROUTED,
    endpointId: request.endpoint?.id ?? null,
    admission: request.admission,
    outcome,
    weight:
      key === null || model === null
        ? null
        : effectiveWeight(tenantPolicyIn(key.tenant, poolOf(model, request.isRouted), wallMs), model.admissionWeight),
    estimatedTokens: request.estimatedTokens,
    inputTokens: usage?.inputTokens ?? null,
    cachedTokens: usage?.cachedTokens ?? null,
    outputTokens: usage?.outputTokens ?? null,
    queueWaitMs: Math.round(request.queueWaitMs),
    ttftMs: request.firstTokenAtMs === null ? null : Math.round(request.firstTokenAtMs - request.startedAtMs),
    totalMs,
    statusCode,
    costUsd: model === null || usage === null ? null : costUsd(model, usage),
    sessionId: request.session.id,
    sessionSource: request.session.source,
    protocol: request.protocol,
    replica,
  };
}
