/** What the request path reports: counted for Prometheus, and logged where somebody will want to read it. */
import type { Log } from "../log";
import type { Metrics } from "../observe/metrics";
import type { ProxyEvents } from "../proxy/proxy-deps";

export interface ProxyEventsOptions {
  readonly metrics: Metrics;
  readonly log: Log;
  /** An endpoint was set aside or taken back. */
  readonly onHealthChange: (endpointId: string) => void;
}

export function proxyEvents({ metrics, log, onHealthChange }: ProxyEventsOptions): ProxyEvents {
  return {
    requestFinished: (usage) => metrics.requestFinished(usage),
    budgetsUnavailable: (failedOpen) => metrics.budgetsUnavailable(failedOpen),
    attemptFinished: (_endpointId, outcome) => metrics.upstreamAttempt(outcome),
    endpointHealthChanged: (endpoint, healthy, reason) => {
      onHealthChange(endpoint);
      if (healthy) log.info({ endpoint, reason }, "endpoint.taken_back");
      else log.warn({ endpoint, reason }, "endpoint.set_aside");
    },
  };
}
