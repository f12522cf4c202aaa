/**
 * The control API, for tests and demos on the same machine: read the counters, change settings, script failures. Answers
 * loopback callers only, and no browser page.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Backend } from "./backend";
import type { Level, Visit } from "./census";
import { type Checked, parseObject } from "./json";
import { changeSettings, type Settings } from "./settings";

/** No legitimate control request is larger. */
const MAX_BODY_BYTES = 1024 * 1024;

export async function serveControl(
  backend: Backend,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const refuse = (status: number, message: string) => send(response, status, { error: { message } });
  if (!isLoopback(request.socket.remoteAddress) || request.headers.origin !== undefined) {
    return refuse(403, "the control API answers this machine only");
  }
  const body = await readBody(request);
  if (!body.ok) return refuse(400, body.problem);
  const route = `${request.method} ${(request.url ?? "").split("?")[0]}`;
  switch (route) {
    case "GET /control/state":
      return send(response, 200, state(backend));
    case "GET /control/visits":
      return send(response, 200, { visits: backend.census.visits.map(visitJson) });
    case "POST /control/reset":
      backend.reset();
      return send(response, 200, state(backend));
    case "POST /control/settings": {
      const changed = changeSettings(backend.settings, renamed(body.value, camel));
      if (!changed.ok) return refuse(400, changed.problem);
      backend.change(changed.value);
      return send(response, 200, state(backend));
    }
    case "POST /control/faults": {
      const added = backend.faults.add(body.value);
      return added.ok ? send(response, 201, { faults: backend.faults.size }) : refuse(400, added.problem);
    }
    case "DELETE /control/faults":
      backend.faults.clear();
      return send(response, 200, { faults: 0 });
    default:
      return refuse(404, "unknown control route");
  }
}

function state(backend: Backend) {
  const { census } = backend;
  return {
    settings: renamed({ ...backend.settings } satisfies Settings, snake),
    now_ms: backend.pace.nowMs(),
    total: level(census.total),
    models: Object.fromEntries([...census.models].map(([name, one]) => [name, level(one)])),
    markers: Object.fromEntries(
      [...census.markers].map(([name, one]) => [name, { ...level(one), requests: one.requests }]),
    ),
    completed: census.endings.completed,
    failed: census.endings.failed,
    aborted: census.endings.aborted,
    faults: backend.faults.size,
  };
}

function level(one: Level) {
  return { running: one.running, high_water: one.highWater };
}

function visitJson(visit: Visit) {
  return renamed({ ...visit }, snake);
}

async function readBody(request: IncomingMessage): Promise<Checked<Record<string, unknown>>> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > MAX_BODY_BYTES) return { ok: false, problem: "the body is too large" };
    parts.push(part);
  }
  return parseObject(Buffer.concat(parts));
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

function isLoopback(address: string | undefined): boolean {
  return address === "::1" || address?.replace("::ffff:", "").startsWith("127.") === true;
}

function renamed(record: Record<string, unknown>, rename: (name: string) => string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [rename(name), value]));
}

function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
