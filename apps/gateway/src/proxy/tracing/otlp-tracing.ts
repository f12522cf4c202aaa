/**
 * Requests as OpenTelemetry spans, sent to a collector over OTLP: the request, and below it `auth`, `admission`, `upstream`
 * and, below that, `stream`. A trace that a client began is continued, and handed on to the backend. The packages are
 * loaded only when this is opened. Spans hold ids, counts and times; never keys, prompts or query strings.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { Clock } from "@obleth/clock";
import type { Attributes, Context, Span, TextMapPropagator, Tracer } from "@opentelemetry/api";
import type { SpanExporter, TracerProvider } from "@opentelemetry/sdk-trace";
import type { AdmissionOutcome } from "../../scheduler/admission-outcome";
import type { UsageRecord } from "../../usage/usage-record";
import type { ProxyRequest } from "../proxy-request";
import type { RequestTrace, RequestTracing } from "./request-trace";

export interface OtlpOptions {
  /** The collector; `/v1/traces` is added. */
  readonly endpoint: string;
  /** Of the traces that begin here, 0 to 100. Those begun by clients are recorded as their clients say. */
  readonly samplePercent: number;
  readonly replica: string;
  readonly version: string;
  readonly clock: Clock;
  /** Spans that the collector did not take are lost. */
  readonly onFailed: (error: unknown) => void;
}

export interface OtlpTracing extends RequestTracing {
  /** Sends what is left, for a few seconds at the most. */
  close(): Promise<void>;
}

/** Spans kept until they are sent; more are dropped. About 4 MB. */
const MAX_QUEUED = 4096;
/** A span is seen at the collector this long after its end at the latest, unless that is away. */
const SEND_EVERY_MS = 2_000;
/** Longest time a batch may take, also when the process stops, ms. */
const SEND_LIMIT_MS = 3_000;

type Api = typeof import("@opentelemetry/api");

interface Kit {
  readonly api: Api;
  readonly tracer: Tracer;
  readonly propagator: TextMapPropagator;
  readonly clock: Clock;
}

export async function openOtlpTracing(options: OtlpOptions): Promise<OtlpTracing> {
  const [api, core, otlp, resources, sdk] = await Promise.all([
    import("@opentelemetry/api"),
    import("@opentelemetry/core"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/resources"),
    import("@opentelemetry/sdk-trace"),
  ]);
  const exporter = new otlp.OTLPTraceExporter({
    url: `${options.endpoint}/v1/traces`,
    timeoutMillis: SEND_LIMIT_MS,
  });
  const provider: TracerProvider = new sdk.TracerProvider({
    resource: resources.resourceFromAttributes({
      "service.name": "obleth-gateway",
      "service.version": options.version,
      "service.instance.id": options.replica,
    }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(options.samplePercent / 100) }),
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: telling(exporter, options.onFailed),
        maxQueueSize: MAX_QUEUED,
        scheduledDelayMillis: SEND_EVERY_MS,
        exportTimeoutMillis: SEND_LIMIT_MS,
      }),
    ],
  });
  const propagator = new core.W3CTraceContextPropagator();
  const kit: Kit = { api, tracer: provider.getTracer("obleth"), propagator, clock: options.clock };
  return {
    begin: (request) => new OtlpTrace(kit, request),
    close: () => provider.shutdown().catch(options.onFailed),
  };
}

/** The exporter, with its failures told to somebody who logs them. */
function telling(exporter: SpanExporter, onFailed: (error: unknown) => void): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error !== undefined) onFailed(result.error);
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}

interface UpstreamSpan {
  readonly span: Span;
  readonly context: Context;
  /** For the backend. */
  readonly headers: readonly string[];
}

class OtlpTrace implements RequestTrace {
  readonly #kit: Kit;
  readonly #root: Span;
  /** The root span as the parent of others. */
  readonly #context: Context;
  readonly #startedAtMs: number;
  /** Wall minus monotonic time, so that the moments of one trace keep their distances. */
  readonly #wallOffsetMs: number;
  #upstream: UpstreamSpan | null = null;
  #isAuthenticated = false;

  constructor(kit: Kit, { req, id, startedAtMs, protocol }: ProxyRequest) {
    const { api, tracer, propagator, clock } = kit;
    this.#kit = kit;
    this.#startedAtMs = startedAtMs;
    this.#wallOffsetMs = clock.wallMs() - clock.monotonicMs();
    const parent = propagator.extract(api.ROOT_CONTEXT, req.headers, HEADERS);
    const path = (req.url ?? "/").split("?", 1)[0] ?? "/";
    const attributes: Attributes = {
      "http.request.method": req.method ?? "",
      "url.path": path,
      "obleth.request_id": id,
      "obleth.protocol": protocol,
    };
    const options = { kind: api.SpanKind.SERVER, startTime: this.#wall(startedAtMs), attributes };
    this.#root = tracer.startSpan(`${req.method} ${path}`, options, parent);
    this.#context = api.trace.setSpan(parent, this.#root);
  }

  authenticated(): void {
    if (this.#isAuthenticated) return;
    this.#isAuthenticated = true;
    this.#step("auth", { fromMs: this.#startedAtMs, attributes: {} });
  }

  admitted({ kind, waitMs }: AdmissionOutcome): void {
    const attributes = { "obleth.admission.outcome": kind, "obleth.admission.wait_ms": Math.round(waitMs) };
    this.#step("admission", { fromMs: this.#kit.clock.monotonicMs() - waitMs, attributes });
  }

  sent(): readonly string[] {
    this.#upstream ??= this.#startUpstream();
    return this.#upstream.headers;
  }

  end(request: ProxyRequest, record: UsageRecord): void {
    const { api, tracer, clock } = this.#kit;
    const endTime = this.#wall(clock.monotonicMs());
    const upstream = this.#upstream;
    if (upstream !== null) {
      if (request.firstByteAtMs !== null) {
        const startTime = this.#wall(request.firstByteAtMs);
        tracer.startSpan("stream", { startTime }, upstream.context).end(endTime);
      }
      if (request.endpoint !== null) upstream.span.setAttribute("obleth.endpoint", request.endpoint.name);
      upstream.span.end(endTime);
    }
    this.#root.setAttributes(attributesOf(record));
    if (record.statusCode >= 500) this.#root.setStatus({ code: api.SpanStatusCode.ERROR, message: record.outcome });
    this.#root.end(endTime);
  }

  #startUpstream(): UpstreamSpan {
    const { api, tracer, propagator, clock } = this.#kit;
    const startTime = this.#wall(clock.monotonicMs());
    const span = tracer.startSpan("upstream", { kind: api.SpanKind.CLIENT, startTime }, this.#context);
    const context = api.trace.setSpan(this.#context, span);
    const headers: string[] = [];
    propagator.inject(context, headers, { set: (list, name, value) => list.push(name, value) });
    return { span, context, headers };
  }

  /** A step that is over. */
  #step(name: string, { fromMs, attributes }: { fromMs: number; attributes: Attributes }): void {
    const { tracer, clock } = this.#kit;
    const span = tracer.startSpan(name, { startTime: this.#wall(fromMs), attributes }, this.#context);
    span.end(this.#wall(clock.monotonicMs()));
  }

  #wall(monotonicMs: number): number {
    return monotonicMs + this.#wallOffsetMs;
  }
}

const HEADERS = {
  keys: (headers: IncomingHttpHeaders) => Object.keys(headers),
  get: (headers: IncomingHttpHeaders, name: string) => headers[name],
};

function attributesOf(record: UsageRecord): Attributes {
  const { tenantId, keyId, model, inputTokens, outputTokens } = record;
  return {
    "http.response.status_code": record.statusCode,
    "obleth.outcome": record.outcome,
    "obleth.admission": record.admission,
    ...(tenantId === null ? {} : { "obleth.tenant_id": tenantId }),
    ...(keyId === null ? {} : { "obleth.key_id": keyId }),
    ...(model === null ? {} : { "gen_ai.request.model": model }),
    ...(inputTokens === null ? {} : { "gen_ai.usage.input_tokens": inputTokens }),
    ...(outputTokens === null ? {} : { "gen_ai.usage.output_tokens": outputTokens }),
  };
}
