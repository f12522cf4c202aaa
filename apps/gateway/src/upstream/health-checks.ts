/**
 * Asks every endpoint in use, now and then, whether it is there, so that one that is down is known before a request
 * meets it, and one that is back is used again. Any answer below 500 counts: a server that refuses the question is
 * alive.
 */
import type { Clock, Timer } from "@obleth/clock";
import type { EndpointRecord, ModelDirectory } from "../policy-cache/records";
import { type AnswerTaker, Attempt } from "./attempt";
import type { EndpointState, Endpoints } from "./endpoints";
import type { Watchdog } from "./watchdog";

/** Longest wait for a connection, for an answer and between its parts: a server that takes longer is not well. */
const CHECK_LIMIT_MS = 5_000;

export interface HealthChecksDeps {
  readonly clock: Clock;
  readonly endpoints: Endpoints;
  readonly watchdog: Watchdog;
  readonly models: ModelDirectory;
}

export class HealthChecks {
  #timer: Timer | null = null;

  constructor(private readonly deps: HealthChecksDeps) {}

  start(everyMs: number): void {
    this.#timer = this.deps.clock.setTimer(everyMs, () => {
      this.checkAll();
      this.start(everyMs);
    });
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  /** One round. Also forgets endpoints that no longer exist. */
  checkAll(): void {
    const ids = new Set<string>();
    for (const model of this.deps.models.list()) {
      for (const record of model.endpoints) {
        ids.add(record.id);
        if (model.enabled && record.enabled) this.#check(record);
      }
    }
    this.deps.endpoints.retain(ids);
  }

  #check(record: EndpointRecord): void {
    const endpoint = this.deps.endpoints.stateOf(record);
    const { health } = endpoint;
    const failed = (): void => health.checkFailed(this.deps.watchdog.nowMs());
    const taker: AnswerTaker = {
      onHead: (status) => {
        if (status < 500) health.checkSucceeded();
        else failed();
        attempt.discard();
        return true;
      },
      onData: () => true,
      onEnd: () => {},
      onFailure: failed,
    };
    const limits = {
      connectMs: CHECK_LIMIT_MS,
      firstByteMs: CHECK_LIMIT_MS,
      idleMs: CHECK_LIMIT_MS,
      deadlineAtMs: null,
    };
    const attempt = new Attempt({ connections: endpoint.connections, watchdog: this.deps.watchdog }, limits, taker);
    attempt.send(
      { method: "GET", path: `${endpoint.basePath}/models`, headers: checkHeaders(endpoint), body: null },
      { fresh: false },
    );
  }
}

function checkHeaders({ record }: EndpointState): string[] {
  const headers = ["accept", "application/json"];
  if (record.apiKey !== null && record.protocol === "anthropic") {
    headers.push("x-api-key", record.apiKey, "anthropic-version", "2023-06-01");
  } else if (record.apiKey !== null) {
    headers.push("authorization", `Bearer ${record.apiKey}`);
  }
  for (const [name, value] of Object.entries(record.headers)) headers.push(name, value);
  return headers;
}
