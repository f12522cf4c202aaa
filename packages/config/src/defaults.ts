/**
 * Every variable obleth reads, with its default, unit and reason, in the order the settings page lists them. Adding a
 * setting means adding it here; parsing, `.env.example`, the settings page and `obleth config check` follow.
 */
import { choice, flag, integer, list, listen, optionalText, optionalUrl, secret, text, url } from "./setting";

const DAY_SECS = 86_400;
const HTTP = { schemes: ["http", "https"] };

const listeners = {
  proxyListen: listen("OBLETH_PROXY_LISTEN", {
    default: "0.0.0.0:8080",
    about: "Where API clients connect. The one listener that is reachable from outside unless told otherwise.",
  }),
  adminListen: listen("OBLETH_ADMIN_LISTEN", {
    default: "127.0.0.1:9180",
    about: "Where the management API listens. Loopback unless asked: it can change every weight and read every record.",
  }),
  metricsListen: listen("OBLETH_METRICS_LISTEN", {
    default: "127.0.0.1:9091",
    about: "Where Prometheus reads /metrics.",
  }),
  dashboardListen: listen("OBLETH_DASHBOARD_LISTEN", {
    default: "127.0.0.1:3000",
    about: "Where the dashboard serves its pages.",
  }),
  managementUrl: url("OBLETH_MANAGEMENT_URL", {
    ...HTTP,
    default: "http://127.0.0.1:9180",
    about: "Where the dashboard reaches the management API.",
  }),
  corsOrigins: list("OBLETH_CORS_ORIGINS", {
    allowed: "comma-separated origins such as https://app.example.com, or *",
    pattern: /^(\*|https?:\/\/[^/\s]+)$/,
    about: "Origins whose browsers may call the proxy. Unset sends no CORS headers.",
  }),
  maxBodyBytes: integer("OBLETH_MAX_BODY_BYTES", {
    default: 67_108_864,
    min: 1024,
    max: 2_147_483_647,
    unit: "bytes",
    about: "Largest request body, after decoding. 64 MiB carries a long prompt with images; larger bodies get 413.",
  }),
};

const storage = {
  dataDir: text("OBLETH_DATA_DIR", {
    default: ".obleth",
    allowed: "a folder's path",
    pattern: /^[^\0]+$/,
    about: "Keeps the embedded database, generated secrets and run.json. One gateway process at a time may use it.",
  }),
  databaseUrl: optionalUrl("OBLETH_DATABASE_URL", {
    schemes: ["postgres", "postgresql"],
    about:
      "A Postgres, 15 or newer, shared by all replicas. Unset starts a real Postgres of its own in OBLETH_DATA_DIR, for one replica.",
  }),
  databasePoolSize: integer("OBLETH_DATABASE_POOL_SIZE", {
    default: 10,
    min: 2,
    max: 200,
    unit: "connections",
    about: "Most connections one gateway opens. Requests rarely reach the database, so ten serve a busy replica.",
  }),
  databasePrepare: flag("OBLETH_DATABASE_PREPARE", {
    default: true,
    about: "Uses prepared statements. Turn off behind a pgbouncer in transaction mode, which cannot keep them.",
  }),
  embeddedPostgresPort: integer("OBLETH_EMBEDDED_POSTGRES_PORT", {
    default: 0,
    min: 0,
    max: 65_535,
    about: "Loopback port of the embedded database; 0 takes a free one, which run.json then names.",
  }),
  seed: choice("OBLETH_SEED", {
    of: ["sample", "none"],
    default: "sample",
    about:
      "What a first run puts into an empty embedded database: two sample tenants, their keys and a simulated model, or nothing.",
  }),
  simBackendUrl: url("OBLETH_SIM_BACKEND_URL", {
    ...HTTP,
    default: "http://127.0.0.1:9400",
    about: "Where the sample model's simulated backend answers.",
  }),
  usageRetentionDays: integer("OBLETH_USAGE_RETENTION_DAYS", {
    default: 180,
    min: 1,
    max: 3650,
    unit: "days",
    about: "How long usage rows are kept. Whole daily partitions are dropped, so this costs nothing per row.",
  }),
};

const secrets = {
  adminToken: secret("OBLETH_ADMIN_TOKEN", {
    minLength: 16,
    about:
      "Bearer token that may do everything on the management API, for automation. Required with OBLETH_DATABASE_URL; otherwise made on the first run.",
  }),
  sessionSecret: secret("OBLETH_SESSION_SECRET", {
    minLength: 32,
    about: "Seals the dashboard's session cookie. Required with OBLETH_DATABASE_URL; otherwise made on the first run.",
  }),
  encryptionKey: secret("OBLETH_ENCRYPTION_KEY", {
    minLength: 32,
    about:
      "Encrypts endpoint credentials in the database; all replicas need the same. Required with OBLETH_DATABASE_URL; otherwise made on the first run. Losing it means entering the credentials again.",
  }),
  apiKeyPepper: secret("OBLETH_API_KEY_PEPPER", {
    minLength: 16,
    about:
      "Mixed into the hash of API keys, so that a stolen database cannot test guesses. Changing it voids all keys.",
  }),
  adminEmail: text("OBLETH_ADMIN_EMAIL", {
    default: "admin@obleth.local",
    allowed: "an email address",
    pattern: /^[^\s@]+@[^\s@]+$/,
    about: "Who the first user is. Only read while there are no users.",
  }),
  adminPassword: secret("OBLETH_ADMIN_PASSWORD", {
    minLength: 12,
    about:
      "Password of the first user. Only read while there are no users; unset, a run with the embedded database makes one and prints it once.",
  }),
};

const redis = {
  redisUrl: optionalUrl("OBLETH_REDIS_URL", {
    schemes: ["redis", "rediss"],
    about: "The Redis or Valkey that replicas share slots and budgets through. Unset: one replica, everything local.",
  }),
  redisCluster: flag("OBLETH_REDIS_CLUSTER", {
    default: false,
    about: "The Redis is a cluster. Every key then carries a hash tag and lives in one slot.",
  }),
  redisSentinels: list("OBLETH_REDIS_SENTINELS", {
    allowed: "comma-separated host:port",
    pattern: /^[A-Za-z0-9._-]+:\d{1,5}$/,
    about: "Sentinels to ask for the master's address; then OBLETH_REDIS_SENTINEL_NAME is required.",
  }),
  redisSentinelName: optionalText("OBLETH_REDIS_SENTINEL_NAME", {
    allowed: "the master's name, without spaces",
    pattern: /^\S+$/,
    about: "The name the sentinels know the master by.",
  }),
  redisPrefix: text("OBLETH_REDIS_PREFIX", {
    default: "obleth",
    allowed: "letters, digits, - and _, at most 64",
    pattern: /^[A-Za-z0-9_-]{1,64}$/,
    about: "Begins every Redis key, so that installations can share a Redis.",
  }),
  redisResponseTimeoutMs: integer("OBLETH_REDIS_RESPONSE_TIMEOUT_MS", {
    default: 250,
    min: 10,
    max: 60_000,
    unit: "ms",
    about:
      "How long a call may take before the replica goes on alone with its part of each limit. Too small flaps, too large delays requests.",
  }),
  redisConnectTimeoutMs: integer("OBLETH_REDIS_CONNECT_TIMEOUT_MS", {
    default: 2000,
    min: 50,
    max: 60_000,
    unit: "ms",
    about: "How long connecting may take before it is tried again.",
  }),
};

const admission = {
  globalMaxInFlight: integer("OBLETH_GLOBAL_MAX_IN_FLIGHT", {
    default: 4096,
    min: 1,
    max: 1_000_000,
    unit: "requests",
    about:
      "Ceiling over all pools together, a safety net. Keep it above the sum of your pools; the start warns if not.",
  }),
  defaultModelMaxInFlight: integer("OBLETH_DEFAULT_MODEL_MAX_IN_FLIGHT", {
    default: 32,
    min: 1,
    max: 100_000,
    unit: "requests",
    isLenient: true,
    about:
      "Pool size of a model that has none of its own, and of the pool of unregistered names. 0 reads as the default.",
  }),
  admissionTimeoutSecs: integer("OBLETH_ADMISSION_TIMEOUT_SECS", {
    default: 60,
    min: 1,
    max: DAY_SECS,
    unit: "s",
    isLenient: true,
    about: "How long a request waits for a slot before it gets 503. 0 and unreadable values read as 60.",
  }),
  maxQueuePerPool: integer("OBLETH_MAX_QUEUE_PER_POOL", {
    default: 0,
    min: 0,
    max: 10_000_000,
    unit: "requests",
    about: "Requests that may wait for one pool; the next one gets 503 at once. 0 sets no bound.",
  }),
  fairshareAlgorithm: choice("OBLETH_FAIRSHARE_ALGORITHM", {
    of: ["hierarchical", "weighted"],
    default: "hierarchical",
    about:
      "hierarchical splits slots between groups, then tenants, then keys; weighted lets all tenants compete on tokens.",
  }),
  fairshareSettle: choice("OBLETH_FAIRSHARE_SETTLE", {
    of: ["estimate", "actual"],
    default: "estimate",
    about:
      "Whether fairness keeps the token estimate charged at admission or corrects it with the usage reported later.",
  }),
  fairshareHistorySecs: integer("OBLETH_FAIRSHARE_HISTORY_SECS", {
    default: 3600,
    min: 0,
    max: DAY_SECS,
    unit: "s",
    about: "How far back the pools' history reaches, one sample every 2 s in memory. 0 keeps none.",
  }),
};

const replicas = {
  sharedSlots: flag("OBLETH_FAIRSHARE_SHARED_SLOTS", {
    default: true,
    about: "Several replicas hold every limit together through Redis.",
  }),
  replicaAware: flag("OBLETH_FAIRSHARE_REPLICA_AWARE", {
    default: true,
    about:
      "Without shared slots, each replica takes its part of every limit. With both off each enforces the full values.",
  }),
  replicaHeartbeatSecs: integer("OBLETH_FAIRSHARE_REPLICA_HEARTBEAT_SECS", {
    default: 5,
    min: 1,
    max: 3600,
    unit: "s",
    isLenient: true,
    about: "How often a replica says it lives and repairs its books. 0 and unreadable values read as 5.",
  }),
  replicaTtlSecs: integer("OBLETH_FAIRSHARE_REPLICA_TTL_SECS", {
    default: 15,
    min: 1,
    max: 7200,
    unit: "s",
    about: "Silence after which a replica counts as gone and its slots return. Raised to twice the heartbeat if lower.",
  }),
};

const affinity = {
  sessionAffinity: flag("OBLETH_FAIRSHARE_SESSION_AFFINITY", {
    default: false,
    about: "Favours sessions whose prompt is likely still in the backend's cache. A model can decide for its own pool.",
  }),
  affinityWarmSecs: integer("OBLETH_FAIRSHARE_SESSION_AFFINITY_WARM_SECS", {
    default: 120,
    min: 0,
    max: DAY_SECS,
    unit: "s",
    about: "How long after its last step a session counts as warm.",
  }),
  affinityHoldMs: integer("OBLETH_FAIRSHARE_SESSION_AFFINITY_HOLD_MS", {
    default: 3000,
    min: 0,
    max: 60_000,
    unit: "ms",
    about:
      "How long a slot is kept for a session's next step, and the longest gap that counts as a loop. 0 keeps none.",
  }),
  affinityMaxJumps: integer("OBLETH_FAIRSHARE_SESSION_AFFINITY_MAX_JUMPS", {
    default: 8,
    min: 0,
    max: 10_000,
    unit: "passes",
    about: "How often a waiting request may be passed by later ones of its key.",
  }),
  affinityMaxBypassSecs: integer("OBLETH_FAIRSHARE_SESSION_AFFINITY_MAX_BYPASS_SECS", {
    default: 30,
    min: 1,
    max: 3600,
    unit: "s",
    about: "Wait after which nothing passes a request. Keep it under half the admission timeout.",
  }),
  affinityMaxHeldPercent: integer("OBLETH_FAIRSHARE_SESSION_AFFINITY_MAX_HELD_PERCENT", {
    default: 25,
    min: 0,
    max: 100,
    unit: "%",
    about: "Most of a pool's slots kept for sessions at once, rounded up. 0 keeps none.",
  }),
};

const upstream = {
  upstreamBaseUrl: optionalUrl("OBLETH_UPSTREAM_BASE_URL", {
    ...HTTP,
    about: "Where requests for unregistered models go, up to and including /v1. Unset, they get 404.",
  }),
  upstreamApiKey: optionalText("OBLETH_UPSTREAM_API_KEY", {
    allowed: "a credential without spaces",
    pattern: /^\S+$/,
    secrecy: "secret",
    about: "Credential sent to OBLETH_UPSTREAM_BASE_URL.",
  }),
  upstreamConnectTimeoutSecs: integer("OBLETH_UPSTREAM_CONNECT_TIMEOUT_SECS", {
    default: 10,
    min: 1,
    max: 300,
    unit: "s",
    about: "How long connecting to an endpoint may take before the next one is tried.",
  }),
  upstreamTimeoutSecs: integer("OBLETH_UPSTREAM_TIMEOUT_SECS", {
    default: 300,
    min: 1,
    max: DAY_SECS,
    unit: "s",
    about: "How long an endpoint may take to its first byte. Long prompts on a busy backend need minutes.",
  }),
  upstreamReadTimeoutSecs: integer("OBLETH_UPSTREAM_READ_TIMEOUT_SECS", {
    default: 120,
    min: 1,
    max: DAY_SECS,
    unit: "s",
    about: "Longest silence between two bytes of an answer.",
  }),
  clientStallSecs: integer("OBLETH_CLIENT_STALL_SECS", {
    default: 60,
    min: 1,
    max: DAY_SECS,
    unit: "s",
    about: "A client that takes no bytes for so long is dropped, because it holds a slot others wait for.",
  }),
  blockPrivateNetworks: flag("OBLETH_BLOCK_PRIVATE_NETWORKS", {
    default: false,
    about: "Refuses endpoints in private address ranges. Off, because most backends live in one.",
  }),
  deriveSessionIds: flag("OBLETH_DERIVE_SESSION_IDS", {
    default: true,
    about: "Recognises a conversation by its opening when the client sends no session id.",
  }),
  failOpen: flag("OBLETH_FAIL_OPEN", {
    default: true,
    about: "With the budget store down: on serves without budgets and says so, off answers 503.",
  }),
};

const capacity = {
  discoveryIntervalSecs: integer("OBLETH_CAPACITY_DISCOVERY_INTERVAL_SECS", {
    default: 15,
    min: 1,
    max: 3600,
    unit: "s",
    about: "How often discovered pool sizes are read again.",
  }),
  discoveryNamespaces: list("OBLETH_CAPACITY_DISCOVERY_NAMESPACES", {
    allowed: "comma-separated Kubernetes namespaces",
    pattern: /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/,
    about: "Namespaces whose Services may size a pool. Unset allows any the service account can read.",
  }),
  kubeconfig: optionalText("OBLETH_KUBECONFIG", {
    allowed: "a file's path",
    pattern: /^[^\0]+$/,
    about: "A kubeconfig file to reach Kubernetes with. Unset uses the pod's service account.",
  }),
};

const operation = {
  shutdownGraceSecs: integer("OBLETH_SHUTDOWN_GRACE_SECS", {
    default: 300,
    min: 0,
    max: DAY_SECS,
    unit: "s",
    about: "How long running requests may take to finish after SIGTERM. Long answers take minutes.",
  }),
  shutdownDelaySecs: integer("OBLETH_SHUTDOWN_DELAY_SECS", {
    default: 0,
    min: 0,
    max: 600,
    unit: "s",
    about: "How long /ready says no before new connections are refused, so that a load balancer notices first.",
  }),
  logLevel: choice("OBLETH_LOG_LEVEL", {
    of: ["debug", "info", "warn", "error", "silent"],
    default: "info",
    about: "Least severe log line that is written.",
  }),
  otlpEndpoint: optionalUrl("OBLETH_OTLP_ENDPOINT", {
    ...HTTP,
    about: "OpenTelemetry collector that gets a trace of each request by OTLP over HTTP. Unset records none.",
  }),
  traceSamplePercent: integer("OBLETH_TRACE_SAMPLE_PERCENT", {
    default: 100,
    min: 0,
    max: 100,
    unit: "%",
    about: "How many of the traces that begin here are recorded. Those that clients began follow their clients.",
  }),
  environmentLabel: optionalText("OBLETH_ENVIRONMENT_LABEL", {
    allowed: "at most 32 characters",
    pattern: /^.{1,32}$/,
    about: "A word such as production or staging that the dashboard shows on every page.",
  }),
};

/** Sections of the settings page. */
export const SECTIONS = [
  { title: "Listeners", settings: listeners },
  { title: "Data", settings: storage },
  { title: "Secrets", settings: secrets },
  { title: "Admission and fairness", settings: admission },
  { title: "Replicas", settings: replicas },
  { title: "Redis", settings: redis },
  { title: "Session affinity", settings: affinity },
  { title: "Upstreams and clients", settings: upstream },
  { title: "Capacity discovery", settings: capacity },
  { title: "Operation", settings: operation },
] as const;

/** All settings by the name the code uses. */
export const SETTINGS = {
  ...listeners,
  ...storage,
  ...secrets,
  ...admission,
  ...replicas,
  ...redis,
  ...affinity,
  ...upstream,
  ...capacity,
  ...operation,
};
