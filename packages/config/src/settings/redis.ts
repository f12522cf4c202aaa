/** The Redis that replicas share slots and budgets through. */
import { flag, integer, list, optionalText, optionalUrl, text } from "../setting";

export const redisSettings = {
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
