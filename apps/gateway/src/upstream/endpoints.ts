/**
 * Every endpoint that has been used: its connections, what is open at it and its health. Entries follow the
 * configuration: a changed address gets new connections, an endpoint that is gone is closed.
 */
import type { Clock } from "@obleth/clock";
import { UNROUTED } from "@obleth/fairshare";
import type { EndpointRecord, ModelRecord } from "../policy-cache/records";
import type { AddressRules } from "./address-guard";
import { Connections } from "./connections";
import { type Candidate, orderCandidates } from "./endpoint-choice";
import { EndpointHealth } from "./endpoint-health";
import type { UpstreamEvents } from "./upstream-events";

/** An endpoint in use. Address, connections and health change together; the count of open calls outlives a change. */
export interface EndpointState {
  record: EndpointRecord;
  connections: Connections;
  /** Path of the base URL, without a trailing slash. */
  basePath: string;
  health: EndpointHealth;
  inFlight: number;
}

export interface EndpointQuery {
  readonly model: ModelRecord;
  readonly session: string | null;
  readonly protocols: readonly EndpointRecord["protocol"][];
  /** Ids already tried. */
  readonly tried: readonly string[];
}

export type EndpointPick =
  | { readonly kind: "endpoint"; readonly endpoint: EndpointState }
  /** All that are left are at their cap. */
  | { readonly kind: "all-full" }
  | { readonly kind: "none" };

export interface EndpointsDeps {
  readonly clock: Clock;
  readonly rules: AddressRules;
  /** How long a connection may take to come about, ms. */
  readonly connectTimeoutMs: number;
  readonly random: () => number;
  readonly events: UpstreamEvents;
}

export class Endpoints {
  readonly #byId = new Map<string, EndpointState>();
  /** Calls waiting for room at an endpoint of a model, in order of arrival. */
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(private readonly deps: EndpointsDeps) {}

  /** The best endpoint that has not been tried. */
  pick(query: EndpointQuery): EndpointPick {
    const { model, session } = query;
    const [only] = model.endpoints;
    if (model.endpoints.length === 1 && only !== undefined) {
      if (!isEligible(only, query)) return { kind: "none" };
      const endpoint = this.stateOf(only);
      return hasRoom(endpoint) ? { kind: "endpoint", endpoint } : { kind: "all-full" };
    }
    const left = model.endpoints.filter((record) => isEligible(record, query));
    if (left.length === 0) return { kind: "none" };
    const now = this.deps.clock.monotonicMs();
    const candidates = left
      .map((record) => this.stateOf(record))
      .filter(hasRoom)
      .map((state) => new Ranked(state, state.health.isAvailable(now)));
    const [first] = orderCandidates(candidates, {
      selection: model.endpointSelection,
      session,
      random: this.deps.random,
    });
    return first === undefined ? { kind: "all-full" } : { kind: "endpoint", endpoint: first.state };
  }

  /** Counts a call in; to be matched by one `leave`. */
  enter(endpoint: EndpointState): void {
    endpoint.inFlight++;
    endpoint.health.requestSent();
  }

  leave(endpoint: EndpointState, modelId: string): void {
    endpoint.inFlight--;
    const waiting = this.#waiting.get(modelId);
    const next = waiting?.values().next().value;
    if (waiting === undefined || next === undefined) return;
    waiting.delete(next);
    if (waiting.size === 0) this.#waiting.delete(modelId);
    next();
  }

  /** Calls `retry` once when an endpoint of the model has room again; the answer cancels it. */
  waitForRoom(modelId: string, retry: () => void): () => void {
    const waiting = this.#waiting.get(modelId) ?? new Set();
    this.#waiting.set(modelId, waiting);
    waiting.add(retry);
    return () => {
      waiting.delete(retry);
      if (waiting.size === 0 && this.#waiting.get(modelId) === waiting) this.#waiting.delete(modelId);
    };
  }

  /** Whether requests are sent there; true for one never used. */
  isHealthy(endpointId: string): boolean {
    return this.#byId.get(endpointId)?.health.isHealthy ?? true;
  }

  /** Closes endpoints that no longer exist; the one for unregistered names is nobody's and stays. */
  retain(ids: ReadonlySet<string>): void {
    for (const [id, state] of this.#byId) {
      if (ids.has(id) || id === UNROUTED || state.inFlight > 0) continue;
      state.connections.close();
      this.#byId.delete(id);
    }
  }

  close(): void {
    for (const state of this.#byId.values()) state.connections.close();
    this.#byId.clear();
  }

  /** The state kept for a record, brought up to date with it. */
  stateOf(record: EndpointRecord): EndpointState {
    const known = this.#byId.get(record.id);
    if (known === undefined) {
      const state: EndpointState = { record, inFlight: 0, ...this.#addressed(record) };
      this.#byId.set(record.id, state);
      return state;
    }
    if (known.record === record) return known;
    if (known.record.apiBase !== record.apiBase) {
      known.connections.close();
      Object.assign(known, this.#addressed(record));
    }
    known.record = record;
    return known;
  }

  #addressed({ id, apiBase }: EndpointRecord): Pick<EndpointState, "connections" | "basePath" | "health"> {
    const base = new URL(apiBase);
    return {
      connections: new Connections(base.origin, this.deps.rules, this.deps.connectTimeoutMs),
      basePath: base.pathname.replace(/\/+$/, ""),
      health: new EndpointHealth((healthy, reason) => this.deps.events.endpointHealthChanged(id, healthy, reason)),
    };
  }
}

function isEligible(record: EndpointRecord, { protocols, tried }: EndpointQuery): boolean {
  return record.enabled && protocols.includes(record.protocol) && !tried.includes(record.id);
}

class Ranked implements Candidate {
  readonly record: EndpointRecord;
  readonly inFlight: number;
  constructor(
    readonly state: EndpointState,
    readonly isAvailable: boolean,
  ) {
    this.record = state.record;
    this.inFlight = state.inFlight;
  }
}

function hasRoom({ record, inFlight }: EndpointState): boolean {
  return record.maxInFlight === null || inFlight < record.maxInFlight;
}
