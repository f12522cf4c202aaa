/** Traces of requests, when a collector is configured. */
import { type OtlpTracing, openOtlpTracing } from "../proxy/tracing/otlp-tracing";
import type { Foundation } from "./foundation";

/** A collector that is away is mentioned this often, ms. */
const MENTION_EVERY_MS = 60_000;

/** Null when no collector is configured; then nothing is loaded either. */
export async function openTracing(foundation: Foundation): Promise<OtlpTracing | null> {
  const { settings, clock, log, instance, build } = foundation;
  if (settings.otlpEndpoint === null) return null;
  let mentionAtMs = Number.NEGATIVE_INFINITY;
  return openOtlpTracing({
    endpoint: settings.otlpEndpoint,
    samplePercent: settings.traceSamplePercent,
    replica: instance,
    version: build.version,
    clock,
    onFailed: (error) => {
      const nowMs = clock.monotonicMs();
      if (nowMs < mentionAtMs) return;
      mentionAtMs = nowMs + MENTION_EVERY_MS;
      log.warn({ err: error }, "traces.not_taken");
    },
  });
}
