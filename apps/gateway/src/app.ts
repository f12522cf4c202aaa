/** What each listener answers: the management API, the metrics page, and health on both. */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import type { Log } from "./log";
import type { Metrics } from "./observe/metrics";
import type { Readiness } from "./observe/readiness";

interface FetchApp {
  fetch(request: Request, env: object): Response | Promise<Response>;
}

/** The admin listener. */
export function adminHandler(app: FetchApp, readiness: Readiness): RequestListener {
  const serve = getRequestListener((request, env) => app.fetch(request, env));
  return (request, response) => {
    if (!readiness.answer(request, response)) void serve(request, response);
  };
}

/** The metrics listener. */
export function metricsHandler(metrics: Metrics, readiness: Readiness, log: Log): RequestListener {
  return (request, response) => {
    if (readiness.answer(request, response)) return;
    if (request.url?.split("?", 1)[0] !== "/metrics")
      return respond(response, { status: 404, text: "Metrics are at /metrics.\n" });
    if (request.method !== "GET" && request.method !== "HEAD")
      return respond(response, { status: 405, text: "GET only.\n", allow: "GET, HEAD" });
    void answerMetrics({ request, response, metrics, log });
  };
}

async function answerMetrics(options: {
  request: IncomingMessage;
  response: ServerResponse;
  metrics: Metrics;
  log: Log;
}): Promise<void> {
  const { request, response, metrics, log } = options;
  try {
    const { contentType, body } = await metrics.page();
    response.writeHead(200, { "content-type": contentType, "content-length": Buffer.byteLength(body) });
    response.end(request.method === "HEAD" ? undefined : body);
  } catch (error) {
    log.error({ err: error }, "metrics.failed");
    respond(response, { status: 500, text: "The metrics could not be read.\n" });
  }
}

function respond(response: ServerResponse, answer: { status: number; text: string; allow?: string }): void {
  const { status, text, allow } = answer;
  const headers = { "content-type": "text/plain; charset=utf-8", "content-length": Buffer.byteLength(text) };
  response.writeHead(status, allow === undefined ? headers : { ...headers, allow }).end(text);
}
