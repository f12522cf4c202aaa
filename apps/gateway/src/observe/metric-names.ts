/**
 * Every series, its kind, its labels and the question it answers; `docs/metrics.md` is generated from here. Labels come
 * from closed sets; models are registered ones, at most `MAX_MODELS`. Tenants, keys and sessions are never labels.
 */
export interface MetricSpec {
  readonly kind: "counter" | "gauge" | "histogram";
  /** What it counts, for Prometheus. */
  readonly help: string;
  /** What somebody who looks at it wants to know. */
  readonly question: string;
  readonly labels: readonly string[];
  /** Upper bounds, for histograms. */
  readonly buckets?: readonly number[];
}

/** Registered models shown with a series of their own, fullest first; the rest are added up under `(other)`. */
export const MAX_MODELS = 200;
export const OTHER_MODELS = "(other)";

/** From a blink to the admission timeout and beyond. */
const WAIT_BUCKETS_MS = [1, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000, 120_000];
/** Long answers take minutes. */
const ANSWER_BUCKETS_MS = [
  10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000, 120_000, 300_000, 600_000,
];
const CALL_BUCKETS_MS = [0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500];

export const METRICS = {
  obleth_requests_total: {
    kind: "counter",
    help: "Finished requests that reached authentication.",
    question: "How many requests are served, wait, or are refused, and with which status?",
    labels: ["admission", "status"],
  },
  obleth_in_flight: {
    kind: "gauge",
    help: "Requests of this gateway that have a slot.",
    question: "How much runs right now?",
    labels: [],
  },
  obleth_queue_depth: {
    kind: "gauge",
    help: "Requests that wait for a slot on this gateway.",
    question: "Does demand exceed the pools?",
    labels: [],
  },
  obleth_body_memory_bytes: {
    kind: "gauge",
    help: "Request bodies that this gateway holds: arriving, waiting and running, bytes.",
    question: "Is there room for more, or is OBLETH_BODY_MEMORY_BYTES about to turn calls away?",
    labels: [],
  },
  obleth_queue_wait_ms: {
    kind: "histogram",
    help: "Wait for a slot, milliseconds; requests admitted at once count as 0.",
    question: "How long do clients wait for a slot?",
    labels: [],
    buckets: WAIT_BUCKETS_MS,
  },
  obleth_ttft_ms: {
    kind: "histogram",
    help: "From the request to the first event of a stream, comments and pings aside, or another answer's first byte, milliseconds.",
    question: "How long do clients wait until their answers begin?",
    labels: [],
    buckets: ANSWER_BUCKETS_MS,
  },
  obleth_total_ms: {
    kind: "histogram",
    help: "Whole request, milliseconds.",
    question: "How long does a request take from end to end?",
    labels: [],
    buckets: ANSWER_BUCKETS_MS,
  },
  obleth_input_tokens_total: {
    kind: "counter",
    help: "Prompt tokens as reported by backends.",
    question: "How much is read by the models?",
    labels: [],
  },
  obleth_output_tokens_total: {
    kind: "counter",
    help: "Generated tokens as reported by backends.",
    question: "How much is written by the models?",
    labels: [],
  },
  obleth_fairshare_replicas: {
    kind: "gauge",
    help: "Live gateways as this one counts them.",
    question: "Do all gateways see each other?",
    labels: [],
  },
  obleth_fairshare_shared_slots_mode: {
    kind: "gauge",
    help: "1 for the mode in force, 0 for the others.",
    question: "Are limits held fleet-wide, split, or local?",
    labels: ["mode"],
  },
  obleth_fairshare_cluster_in_flight: {
    kind: "gauge",
    help: "Slots in use over all gateways, held ones included; 0 outside shared mode.",
    question: "How much runs in the whole fleet?",
    labels: [],
  },
  obleth_fairshare_affinity_total: {
    kind: "counter",
    help: "Session affinity events: requests that passed older ones (warm), slots held, taken by the next step (redeem), run out (expire) and freed early (release), requests that nothing passed any more (bypass). In shared mode each is counted by one gateway; add them up.",
    question: "Are held slots used? Hold and redeem close together means yes.",
    labels: ["event"],
  },
  obleth_fairshare_slot_calls_total: {
    kind: "counter",
    help: "Calls to Redis about slots. A release without an answer (unanswered) is put right by the next heartbeat.",
    question: "Does sharing slots work, and how often is a claim refused?",
    labels: ["call", "result"],
  },
  obleth_fairshare_slot_call_ms: {
    kind: "histogram",
    help: "Duration of calls to Redis about slots, milliseconds.",
    question: "Is Redis fast enough? Close to the response timeout means no.",
    labels: ["call"],
    buckets: CALL_BUCKETS_MS,
  },
  obleth_fairshare_slots_repaired_total: {
    kind: "counter",
    help: "Slots put right by this gateway's heartbeats: of gateways that expired (expired), of its own that the books had too many or too few of (own), and of totals that did not add up (total).",
    question:
      "Do the books of shared slots drift? Expired after a gateway was lost is normal; own and total should stand still.",
    labels: ["what"],
  },
  obleth_pool_in_flight: {
    kind: "gauge",
    help: "Requests of this gateway that have a slot of the model's pool.",
    question: "Which pool is busy?",
    labels: ["model"],
  },
  obleth_pool_queued: {
    kind: "gauge",
    help: "Requests that wait for a slot of the model's pool on this gateway.",
    question: "Which pool is too small?",
    labels: ["model"],
  },
  obleth_pool_cap: {
    kind: "gauge",
    help: "Slots of the model's pool in force on this gateway.",
    question: "How large is each pool right now?",
    labels: ["model"],
  },
  obleth_pool_held: {
    kind: "gauge",
    help: "Slots of the model's pool that this gateway keeps for a session's next step; 0 in shared mode, where they are kept in Redis and the live state shows them.",
    question: "How much is held back by session affinity?",
    labels: ["model"],
  },
  obleth_upstream_attempts_total: {
    kind: "counter",
    help: "Tries at a backend, retries included.",
    question: "Do backends answer, and how do they fail?",
    labels: ["outcome"],
  },
  obleth_upstream_unhealthy_endpoints: {
    kind: "gauge",
    help: "Endpoints set aside for failing.",
    question: "Is a backend down?",
    labels: [],
  },
  obleth_budgets_unavailable_total: {
    kind: "counter",
    help: "Requests whose budgets could not be asked.",
    question: "Are budgets enforced? `passed` went on without.",
    labels: ["decision"],
  },
  obleth_usage_dropped_total: {
    kind: "counter",
    help: "Usage records lost for good.",
    question: "Is the usage table complete?",
    labels: [],
  },
  obleth_usage_queued: {
    kind: "gauge",
    help: "Usage records not yet in the database, spilled ones included.",
    question: "Does the database keep up with usage?",
    labels: [],
  },
  obleth_config_invalidations_total: {
    kind: "counter",
    help: "Configuration changes that arrived, by what changed.",
    question: "Do changes reach this gateway?",
    labels: ["kind"],
  },
  obleth_config_version: {
    kind: "gauge",
    help: "Newest configuration version in force at this gateway.",
    question: "Do all gateways run on the same configuration?",
    labels: [],
  },
  obleth_ready: {
    kind: "gauge",
    help: "1 while /ready says yes.",
    question: "Does this gateway want traffic?",
    labels: [],
  },
  obleth_build_info: {
    kind: "gauge",
    help: "Always 1; the version is a label.",
    question: "Which version runs where?",
    labels: ["version"],
  },
} as const satisfies Record<`obleth_${string}`, MetricSpec>;

export type MetricName = keyof typeof METRICS;

/** `docs/metrics.md`. */
export function renderMetricsPage(): string {
  const rows = Object.entries(METRICS as Record<string, MetricSpec>).map(([name, spec]) => {
    const labels = spec.labels.length === 0 ? "" : spec.labels.map((label) => `\`${label}\``).join(", ");
    return `| \`${name}\` | ${spec.kind} | ${labels} | ${spec.help} | ${spec.question} |`;
  });
  return [
    "# Metrics",
    "",
    "Generated from `apps/gateway/src/observe/metric-names.ts` by `npx tsx scripts/write-metrics.ts`; a check keeps them in step.",
    "",
    "Prometheus reads them at `/metrics` of the metrics listener (`OBLETH_METRICS_LISTEN`). Beside these stand the usual",
    "`process_*` and `nodejs_*` series, among them event-loop lag. Every series is one gateway's; add gateways up with `sum`.",
    "",
    `Labels come from closed sets. \`model\` is a registered model or \`(unrouted)\`; past ${MAX_MODELS} models the emptiest are`,
    `added up as \`${OTHER_MODELS}\`. Series of a deleted model go with it. Tenants, keys and sessions are never labels: ask the`,
    "usage API about them.",
    "",
    "| series | kind | labels | counts | answers |",
    "|---|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}
