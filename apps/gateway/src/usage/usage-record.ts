/** One finished request, as the `usage` table keeps it. Times in milliseconds, money in US dollars. */
export interface UsageRecord {
  readonly requestId: string;
  readonly tsMs: number;
  readonly tenantId: string | null;
  readonly keyId: string | null;
  readonly model: string | null;
  readonly endpointId: string | null;
  readonly admission: "fast" | "queued" | "rejected";
  readonly outcome: "completed" | "upstream_error" | "timed_out" | "client_gone" | "refused" | "shutting_down";
  readonly weight: number | null;
  readonly estimatedTokens: number;
  readonly inputTokens: number | null;
  readonly cachedTokens: number | null;
  readonly outputTokens: number | null;
  readonly queueWaitMs: number;
  readonly ttftMs: number | null;
  readonly totalMs: number;
  readonly statusCode: number;
  readonly costUsd: number | null;
  readonly sessionId: string | null;
  readonly sessionSource: "client" | "derived" | "none";
  readonly protocol: "openai" | "anthropic";
  readonly replica: string;
}

/** Takes records off the request path. Never throws and never waits. */
export interface UsageSink {
  record(usage: UsageRecord): void;
}
