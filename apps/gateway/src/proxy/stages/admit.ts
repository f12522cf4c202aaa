/** The wait for a slot. The only caller of the scheduler's door. */
import { type PoolId, poolId, sessionId, UNROUTED } from "@obleth/fairshare";
import type { Refusal } from "../../error-response";
import { RETRY_LATER_SECS } from "../../error-response";
import type { KeyRecord, ModelRecord } from "../../policy-cache/records";
import { tenantPolicyIn } from "../../policy-cache/tenant-policy";
import type { Admission, Waiting } from "../../scheduler/admission";
import type { AdmissionOutcome } from "../../scheduler/admission-outcome";

export interface AdmissionCall {
  readonly key: KeyRecord;
  readonly model: ModelRecord;
  readonly isRouted: boolean;
  readonly estimatedTokens: number;
  readonly session: string | null;
  readonly wallMs: number;
}

/** Asks for a slot; `settle` is called once, as `Admission.admit` says. */
export function admit(
  admission: Admission,
  call: AdmissionCall,
  settle: (outcome: AdmissionOutcome) => void,
): Waiting | undefined {
  const { key, model, session } = call;
  const pool = poolOf(model, call.isRouted);
  return admission.admit(
    {
      pool,
      tenant: tenantPolicyIn(key.tenant, pool, call.wallMs),
      key: key.policy,
      costTokens: call.estimatedTokens,
      session: session === null || spreadsSessions(model) ? null : sessionId(session),
    },
    settle,
  );
}

/** A session's steps would not reach the same server twice, so there is no cache to keep warm. */
function spreadsSessions({ endpointSelection, endpoints }: ModelRecord): boolean {
  return endpointSelection === "load_balance" && endpoints.filter((endpoint) => endpoint.enabled).length > 1;
}

/** The pool of a model: its own, or the one that all unregistered names share. */
export function poolOf(model: ModelRecord, isRouted: boolean): PoolId {
  return isRouted ? poolId(model.name) : UNROUTED;
}

/** What a caller that got no slot is told; null when there is nobody to tell. */
export function admissionRefusal(kind: Exclude<AdmissionOutcome["kind"], `admitted-${string}`>): Refusal | null {
  switch (kind) {
    case "timed-out":
    case "queue-full":
      return ADMISSION_TIMEOUT;
    case "no-servers":
      return NO_SERVERS;
    case "shutting-down":
      return SHUTTING_DOWN;
    case "client-gone":
      return null;
  }
}

/** Also for who could not be let wait: no room in the queue, or in the memory for bodies. */
export const ADMISSION_TIMEOUT: Refusal = {
  code: "admission_timeout",
  message: "timed out waiting for model capacity",
  retryAfterSecs: RETRY_LATER_SECS,
};

export const NO_SERVERS: Refusal = {
  code: "no_servers",
  message:
    "This model has no server to send the request to. An administrator can enable an endpoint or start a replica.",
  retryAfterSecs: RETRY_LATER_SECS,
};

export const SHUTTING_DOWN: Refusal = {
  code: "shutting_down",
  message: "This gateway is shutting down. Send the request again; another one will take it.",
  retryAfterSecs: RETRY_LATER_SECS,
};
