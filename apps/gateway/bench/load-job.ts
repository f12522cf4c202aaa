/** What the load process is told and what it reports. */
export interface LoadJob {
  readonly port: number;
  readonly connections: number;
  readonly durationMs: number;
  /** The whole request as latin1 bytes. */
  readonly request: string;
}

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  /** Answers other than 200, and connections that closed. */
  readonly failures: number;
  readonly medianMs: number;
}
