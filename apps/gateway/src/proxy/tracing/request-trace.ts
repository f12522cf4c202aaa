/** What the request path tells a tracer, where there is one. Nothing here may throw or wait. */
import type { AdmissionOutcome } from "../../scheduler/admission-outcome";
import type { UsageRecord } from "../../usage/usage-record";
import type { ProxyRequest } from "../proxy-request";

export interface RequestTracing {
  begin(request: ProxyRequest): RequestTrace;
}

/** One request's spans. What is told after `end` is ignored. */
export interface RequestTrace {
  /** It is known who calls, or that nobody known does. */
  authenticated(): void;
  /** The scheduler has answered. */
  admitted(outcome: AdmissionOutcome): void;
  /** The call to a backend begins or is tried again; returns headers that hang the backend's spans below it. */
  sent(): readonly string[];
  end(request: ProxyRequest, record: UsageRecord): void;
}
