import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { SystemClock } from "@obleth/clock";
import { afterEach, describe, expect, it } from "vitest";
import { RawClient, rawChat } from "../testing/raw-client";
import { SECRET, until } from "../testing/rig";
import { completion, json } from "../testing/scripts";
import { type GatewayOptions, gateway } from "../testing/set-up";
import { openOtlpTracing } from "./otlp-tracing";

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number | string };
}

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code?: number };
}

interface SentTraces {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

/** A collector that keeps what it is sent. */
class Collector {
  readonly bodies: string[] = [];
  status = 200;

  private constructor(readonly server: Server) {}

  static async start(): Promise<Collector> {
    const collector = new Collector(createServer());
    collector.server.on("request", (request, response) => {
      void text(request).then((body) => {
        if (request.url === "/v1/traces") collector.bodies.push(body);
        response.writeHead(collector.status, { "content-type": "application/json" }).end("{}");
      });
    });
    collector.server.listen(0, "127.0.0.1");
    await once(collector.server, "listening");
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get traces(): SentTraces[] {
    return this.bodies.map((body) => JSON.parse(body) as SentTraces);
  }

  get spans(): SentSpan[] {
    return this.traces.flatMap((sent) =>
      sent.resourceSpans.flatMap((resource) => resource.scopeSpans.flatMap((scope) => scope.spans)),
    );
  }

  span(name: string): SentSpan {
    const found = this.spans.find((span) => span.name === name);
    if (found === undefined) throw new Error(`no span ${name} among ${this.spans.map((span) => span.name).join(", ")}`);
    return found;
  }
}

const CLIENT_TRACE = "0af7651916cd43dd8448eb211c80319c";
const CLIENT_SPAN = "b7ad6b7169203331";
const SAMPLED = `00-${CLIENT_TRACE}-${CLIENT_SPAN}-01`;
const CHAT = { model: "m", messages: [{ role: "user", content: "a secret plan" }] };

const collectors: Collector[] = [];
afterEach(() => {
  for (const { server } of collectors.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function traced({ samplePercent = 100, ...options }: GatewayOptions & { samplePercent?: number } = {}) {
  const collector = await Collector.start();
  collectors.push(collector);
  const failures: unknown[] = [];
  const tracing = await openOtlpTracing({
    endpoint: collector.url,
    samplePercent,
    replica: "r1",
    version: "1.2.3",
    clock: new SystemClock(),
    onFailed: (error) => failures.push(error),
  });
  const { rig, upstream } = await gateway(json(completion("ok")), { tracing, ...options });
  return { collector, failures, tracing, rig, upstream };
}

function attribute({ attributes }: Pick<SentSpan, "attributes">, name: string): string | undefined {
  const value = attributes.find(({ key }) => key === name)?.value;
  return value?.stringValue ?? (value?.intValue === undefined ? undefined : String(value.intValue));
}

describe("traces of requests", () => {
  it("go to the collector as one span with its steps below, continued from the client and on to the backend", async () => {
    const { collector, tracing, rig, upstream } = await traced();
    const answer = await rig.chat(CHAT, { headers: { traceparent: SAMPLED, tracestate: "vendor=1" } });
    await answer.text();
    await until(() => rig.records.length === 1);
    await tracing.close();

    const root = collector.span("POST /v1/chat/completions");
    const backend = collector.span("upstream");
    expect(root).toMatchObject({ traceId: CLIENT_TRACE, parentSpanId: CLIENT_SPAN });
    const steps = ["auth", "admission", "upstream"].map((name) => collector.span(name));
    for (const step of steps) expect(step).toMatchObject({ traceId: CLIENT_TRACE, parentSpanId: root.spanId });
    expect(collector.span("stream")).toMatchObject({ parentSpanId: backend.spanId });
    expect(collector.spans).toHaveLength(5);

    const [seen] = upstream.requests;
    expect(seen?.headers.get("traceparent")).toBe(`00-${CLIENT_TRACE}-${backend.spanId}-01`);
    expect(seen?.headers.get("tracestate")).toBe("vendor=1");
    expect(attribute(collector.span("admission"), "obleth.admission.outcome")).toBe("admitted-fast");
    expect(attribute(root, "obleth.request_id")).toBe(answer.headers.get("x-obleth-request-id"));
    expect(attribute(root, "http.response.status_code")).toBe("200");
    expect(attribute(root, "gen_ai.request.model")).toBe("m");
    for (const span of collector.spans) {
      expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
      expect(BigInt(span.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(root.startTimeUnixNano));
      expect(BigInt(span.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(root.endTimeUnixNano));
    }
    const service = collector.traces[0]?.resourceSpans[0]?.resource;
    expect(service && attribute(service, "service.name")).toBe("obleth-gateway");
    expect(collector.bodies.join()).not.toMatch(new RegExp(`${SECRET}|secret plan`));
  });

  it("show how long a request waited, and that it got no slot", async () => {
    const { collector, tracing, rig, upstream } = await traced({ model: { maxInFlight: 1 }, admissionTimeoutMs: 50 });
    upstream.script = (answer) => answer.hang();
    const running = await RawClient.send(rig.port, rawChat(CHAT));
    await until(() => upstream.open === 1);
    expect((await rig.chat(CHAT)).status).toBe(503);
    running.reset();
    await until(() => rig.records.length === 2);
    await tracing.close();
    const waits = collector.spans.filter((span) => span.name === "admission");
    const late = waits.find((span) => attribute(span, "obleth.admission.outcome") === "timed-out");
    expect(Number(late && attribute(late, "obleth.admission.wait_ms"))).toBeGreaterThanOrEqual(50);
    const failed = collector.spans.find((span) => attribute(span, "obleth.outcome") === "timed_out");
    expect(failed?.status.code).toBe(2);
    expect(
      failed && collector.spans.some((span) => span.parentSpanId === failed.spanId && span.name === "upstream"),
    ).toBe(false);
  });

  it("are left out as the client or the setting says, and their context still reaches the backend", async () => {
    const { collector, tracing, rig, upstream } = await traced({ samplePercent: 0 });
    await (await rig.chat(CHAT)).text();
    await (await rig.chat(CHAT, { headers: { traceparent: `00-${CLIENT_TRACE}-${CLIENT_SPAN}-00` } })).text();
    await (await rig.chat(CHAT, { headers: { traceparent: SAMPLED } })).text();
    await until(() => rig.records.length === 3);
    await tracing.close();
    expect(collector.spans.filter((span) => span.name.startsWith("POST")).map((span) => span.traceId)).toEqual([
      CLIENT_TRACE,
    ]);
    const sent = upstream.requests.map((request) => request.headers.get("traceparent"));
    expect(sent[0]).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    expect(sent[1]).toMatch(new RegExp(`^00-${CLIENT_TRACE}-[0-9a-f]{16}-00$`));
    expect(sent[2]).toMatch(new RegExp(`^00-${CLIENT_TRACE}-[0-9a-f]{16}-01$`));
  });

  it("never cost a request anything when the collector refuses them or is gone", async () => {
    const { collector, tracing, failures, rig } = await traced();
    collector.status = 400;
    expect((await rig.chat(CHAT)).status).toBe(200);
    await until(() => failures.length > 0);
    collector.server.closeAllConnections();
    collector.server.close();
    expect((await rig.chat(CHAT)).status).toBe(200);
    await tracing.close();
  });
});
