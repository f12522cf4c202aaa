/** Which path is served by what. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Backend } from "./backend";
import { serveControl } from "./control";
import { anthropicMessages, anthropicProblem, readAnthropic } from "./dialects/anthropic-messages";
import type { Dialect } from "./dialects/dialect";
import { openAiChat } from "./dialects/openai-chat";
import { openAiCompletions } from "./dialects/openai-completions";
import { openAiProblem } from "./dialects/openai-shapes";
import { Exchange } from "./exchange";
import { parseObject } from "./json";
import { serveEmbeddings } from "./serve-embeddings";
import { serveInference } from "./serve-inference";
import { countTokens } from "./tokens";

const DIALECTS: Readonly<Record<string, Dialect>> = {
  "/v1/chat/completions": openAiChat,
  "/v1/completions": openAiCompletions,
  "/v1/messages": anthropicMessages,
};

/** An HTTP server over `backend`, not yet listening. */
export function makeServer(backend: Backend): Server {
  // No limit on how long a request may take: a queue before the backend is somebody else's business.
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 75_000 }, (request, response) => {
    serve(backend, request, response).catch((error: unknown) => {
      console.error(error);
      if (response.headersSent) return request.socket.destroy();
      sendJson(response, 500, openAiProblem(500, "the simulated backend failed"));
    });
  });
  return server;
}

async function serve(backend: Backend, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? "/").split("?")[0] ?? "/";
  if (path.startsWith("/control/")) return serveControl(backend, request, response);
  if (request.method === "GET") return serveGet(backend, path, response);
  if (request.method !== "POST") return sendJson(response, 405, openAiProblem(405, "method not allowed"));
  const dialect = Object.hasOwn(DIALECTS, path) ? DIALECTS[path] : undefined;
  const isKnown = dialect !== undefined || path === "/v1/embeddings" || path === "/v1/messages/count_tokens";
  if (!isKnown) return sendJson(response, 404, openAiProblem(404, `unknown path ${path}`));
  if (path === "/v1/messages/count_tokens") return serveCount(request, response);

  const exchange = new Exchange(request, response, backend.census);
  if (!isAuthorised(backend, request)) {
    const problem = dialect === anthropicMessages ? anthropicProblem : openAiProblem;
    return exchange.sendJson(401, problem(401, "wrong or missing API key"));
  }
  if (dialect !== undefined) return serveInference(backend, exchange, dialect);
  return serveEmbeddings(backend, exchange);
}

function serveGet(backend: Backend, path: string, response: ServerResponse): void {
  const named = backend.models.find((name) => path === `/v1/models/${encodeURIComponent(name)}`);
  if (path === "/health") sendJson(response, 200, { status: "ok" });
  else if (path === "/v1/models") sendJson(response, 200, { object: "list", data: backend.models.map(modelJson) });
  else if (named !== undefined) sendJson(response, 200, modelJson(named));
  else sendJson(response, 404, openAiProblem(404, `unknown path ${path}`));
}

async function serveCount(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const body = parseObject(Buffer.concat(parts));
  const ask = body.ok ? readAnthropic(body.value, null) : body;
  if (!ask.ok) return sendJson(response, 400, anthropicProblem(400, ask.problem));
  return sendJson(response, 200, { input_tokens: countTokens(ask.value.prompt) });
}

function isAuthorised(backend: Backend, request: IncomingMessage): boolean {
  if (backend.apiKey === null) return true;
  return (
    request.headers.authorization === `Bearer ${backend.apiKey}` || request.headers["x-api-key"] === backend.apiKey
  );
}

function modelJson(name: string) {
  return { id: name, object: "model", created: 0, owned_by: "sim-backend" };
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
