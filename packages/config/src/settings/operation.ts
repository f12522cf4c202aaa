/** Stopping, logs, traces and the name on the pages. */
import { choice, DAY_SECS, HTTP, integer, optionalText, optionalUrl } from "../setting";

export const operationSettings = {
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
