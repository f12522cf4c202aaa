/**
 * What the request path is given. Everything it does not own itself is injected: who may call, which models exist, the
 * door to a slot, budgets, and where records go. `compose.ts` supplies the real ones; tests supply small ones.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "@obleth/clock";
import type { TokenBudgets } from "@obleth/cluster";
import type { KeyDirectory, ModelDirectory } from "../policy-cache/records";
import type { Admission } from "../scheduler/admission";
import type { UpstreamEvents } from "../upstream/upstream-events";
import type { UsageRecord, UsageSink } from "../usage/usage-record";
import type { RequestTracing } from "./tracing/request-trace";

export interface ProxySettings {
  /** Largest request body after decoding, bytes. */
  readonly maxBodyBytes: number;
  /** Bytes of bodies that all requests together may hold. */
  readonly bodyMemoryBytes: number;
  /** Browser origins that may call; `*` admits any; empty turns CORS off. */
  readonly corsOrigins: readonly string[];
  /** Where names that no model is registered under go; null answers them with 404. Ends in `/v1`. */
  readonly upstreamBaseUrl: string | null;
  /** Bearer for `upstreamBaseUrl`; null sends none. */
  readonly upstreamApiKey: string | null;
  /** Longest silence from a client that owes us bytes or owes us reading, ms. */
  readonly clientStallMs: number;
  readonly connectTimeoutMs: number;
  /** From sending the request to the first byte of the answer, ms. */
  readonly firstByteTimeoutMs: number;
  /** Between two bytes of an answer while we are ready to read, ms. */
  readonly idleTimeoutMs: number;
  readonly blockPrivateNetworks: boolean;
  /** Ms between checks of every endpoint; 0 leaves health to what requests meet. */
  readonly healthCheckMs: number;
  /** What an unreachable budget store means: true lets requests pass uncounted, false answers 503. */
  readonly failOpen: boolean;
  readonly deriveSessionIds: boolean;
  /** Keys the hash of derived session ids, so that an id tells nothing about the text. */
  readonly sessionSecret: string;
  /** This process's id, for usage records. */
  readonly replica: string;
}

/** Hears what happens, for metrics and the state pages. Must not throw; a throw is swallowed. */
export interface ProxyEvents extends UpstreamEvents {
  /** One call per request that reached authentication, after its slot is back. */
  requestFinished(usage: UsageRecord): void;
  /** Budgets could not be asked; `failedOpen` says the request went on without. */
  budgetsUnavailable(failedOpen: boolean): void;
}

/** The part of pino's interface the request path uses. */
export interface ProxyLog {
  info(fields: object, event: string): void;
  warn(fields: object, event: string): void;
  error(fields: object, event: string): void;
  isLevelEnabled(level: string): boolean;
}

export interface ProxyDeps {
  readonly keys: KeyDirectory;
  readonly models: ModelDirectory;
  readonly admission: Admission;
  readonly budgets: TokenBudgets;
  readonly usage: UsageSink;
  readonly clock: Clock;
  readonly settings: ProxySettings;
  readonly log: ProxyLog;
  readonly events: ProxyEvents;
  /** Null records no traces. */
  readonly tracing: RequestTracing | null;
  /** Random numbers in [0, 1) for jitter. */
  readonly random: () => number;
  /** Answers paths outside `/v1` (health, readiness); true when it did. */
  readonly otherPaths?: (req: IncomingMessage, res: ServerResponse) => boolean;
}
