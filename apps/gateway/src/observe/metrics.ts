/**
 * The series of `metric-names.ts`, filled from two sides: gauges are read from the scheduler's picture when Prometheus
 * asks, counters and histograms from what the request path reports. Nothing here throws into the request path.
 */

import type { EngineSnapshot, PoolSnapshot } from "@obleth/fairshare";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { UsageRecord } from "../usage/usage-record";
import { type AffinityEvent, MODES } from "./metric-labels";
import { MAX_MODELS, METRICS, type MetricName, type MetricSpec, OTHER_MODELS } from "./metric-names";
import type { FleetFacts } from "./moment";

export interface MetricSources {
  readonly snapshot: () => EngineSnapshot;
  readonly fleet: () => FleetFacts;
  /** Registered canonical names, and the pool of unregistered ones. */
  readonly isKnownModel: (name: string) => boolean;
  readonly usageQueued: () => number;
  readonly heldBodyBytes: () => number;
  readonly unhealthyEndpoints: () => number;
  readonly configVersion: () => number;
  readonly isReady: () => boolean;
  readonly version: string;
}

type NamesOf<Kind extends MetricSpec["kind"]> = {
  [Name in MetricName]: (typeof METRICS)[Name]["kind"] extends Kind ? Name : never;
}[MetricName];

export class Metrics {
  readonly #registry = new Registry();
  readonly #counters = new Map<string, Counter>();
  readonly #gauges = new Map<string, Gauge>();
  readonly #histograms = new Map<string, Histogram>();
  readonly #sources: MetricSources;

  constructor(sources: MetricSources) {
    this.#sources = sources;
    for (const [name, spec] of Object.entries(METRICS as Record<string, MetricSpec>)) this.#register(name, spec);
    collectDefaultMetrics({ register: this.#registry });
  }

  /** One finished request. */
  requestFinished(usage: UsageRecord): void {
    this.#count("obleth_requests_total", { admission: usage.admission, status: String(usage.statusCode) });
    this.#observe("obleth_total_ms", usage.totalMs);
    if (usage.admission !== "rejected") this.#observe("obleth_queue_wait_ms", usage.queueWaitMs);
    if (usage.ttftMs !== null) this.#observe("obleth_ttft_ms", usage.ttftMs);
    if (usage.inputTokens !== null) this.#count("obleth_input_tokens_total", {}, usage.inputTokens);
    if (usage.outputTokens !== null) this.#count("obleth_output_tokens_total", {}, usage.outputTokens);
  }

  upstreamAttempt(outcome: string): void {
    this.#count("obleth_upstream_attempts_total", { outcome });
  }

  budgetsUnavailable(failedOpen: boolean): void {
    this.#count("obleth_budgets_unavailable_total", { decision: failedOpen ? "passed" : "refused" });
  }

  usageDropped(records: number): void {
    this.#count("obleth_usage_dropped_total", {}, records);
  }

  configChanged(kind: string): void {
    this.#count("obleth_config_invalidations_total", { kind });
  }

  affinityEvent(event: AffinityEvent, times: number): void {
    this.#count("obleth_fairshare_affinity_total", { event }, times);
  }

  slotCall(call: string, result: string, ms: number): void {
    this.#count("obleth_fairshare_slot_calls_total", { call, result });
    this.#observe("obleth_fairshare_slot_call_ms", ms, { call });
  }

  slotsRepaired(repair: { reclaimedSlots: number; ownDrift: number; totalDrift: number }): void {
    const slots = { expired: repair.reclaimedSlots, own: repair.ownDrift, total: repair.totalDrift };
    for (const [what, count] of Object.entries(slots)) {
      if (count !== 0) this.#count("obleth_fairshare_slots_repaired_total", { what }, Math.abs(count));
    }
  }

  /** The page Prometheus reads. */
  async page(): Promise<{ readonly contentType: string; readonly body: string }> {
    this.#readGauges();
    return { contentType: this.#registry.contentType, body: await this.#registry.metrics() };
  }

  #readGauges(): void {
    const { snapshot, fleet, usageQueued, heldBodyBytes, unhealthyEndpoints, configVersion, isReady, version } =
      this.#sources;
    const engine = snapshot();
    const facts = fleet();
    this.#set("obleth_in_flight", engine.inFlight);
    this.#set("obleth_queue_depth", engine.queued);
    this.#set("obleth_fairshare_replicas", facts.replicas);
    this.#set("obleth_fairshare_cluster_in_flight", facts.clusterInFlight?.total ?? 0);
    for (const mode of MODES) this.#set("obleth_fairshare_shared_slots_mode", mode === facts.mode ? 1 : 0, { mode });
    this.#set("obleth_body_memory_bytes", heldBodyBytes());
    this.#set("obleth_usage_queued", usageQueued());
    this.#set("obleth_upstream_unhealthy_endpoints", unhealthyEndpoints());
    this.#set("obleth_config_version", configVersion());
    this.#set("obleth_ready", isReady() ? 1 : 0);
    this.#set("obleth_build_info", 1, { version });
    this.#readPools(engine.pools);
  }

  /** Series of pools that are gone go too: each read starts from none. */
  #readPools(pools: readonly PoolSnapshot[]): void {
    const names = ["obleth_pool_in_flight", "obleth_pool_queued", "obleth_pool_cap", "obleth_pool_held"] as const;
    for (const name of names) this.#gauges.get(name)?.reset();
    const fullness = (pool: PoolSnapshot) => (pool.inFlight + pool.held) / Math.max(1, pool.size) + pool.queued;
    const known = pools.filter((pool) => this.#sources.isKnownModel(pool.pool));
    const shown = new Set([...known].sort((a, b) => fullness(b) - fullness(a)).slice(0, MAX_MODELS));
    for (const pool of pools) {
      const model = shown.has(pool) ? pool.pool : OTHER_MODELS;
      this.#gauges.get("obleth_pool_in_flight")?.inc({ model }, pool.inFlight);
      this.#gauges.get("obleth_pool_queued")?.inc({ model }, pool.queued);
      this.#gauges.get("obleth_pool_cap")?.inc({ model }, pool.size);
      this.#gauges.get("obleth_pool_held")?.inc({ model }, pool.held);
    }
  }

  #register(name: string, spec: MetricSpec): void {
    const base = { name, help: spec.help, labelNames: [...spec.labels], registers: [this.#registry] };
    if (spec.kind === "counter") this.#counters.set(name, new Counter(base));
    else if (spec.kind === "gauge") this.#gauges.set(name, new Gauge(base));
    else this.#histograms.set(name, new Histogram({ ...base, buckets: [...(spec.buckets ?? [])] }));
  }

  #count(name: NamesOf<"counter">, labels: Record<string, string> = {}, by = 1): void {
    this.#counters.get(name)?.inc(labels, Math.max(0, by));
  }

  #set(name: NamesOf<"gauge">, value: number, labels: Record<string, string> = {}): void {
    this.#gauges.get(name)?.set(labels, value);
  }

  #observe(name: NamesOf<"histogram">, value: number, labels: Record<string, string> = {}): void {
    if (Number.isFinite(value)) this.#histograms.get(name)?.observe(labels, value);
  }
}
