/**
 * Whether this process lives and whether it wants traffic, answered on every listener. Alive is whoever answers;
 * ready is a list of conditions that must all hold.
 */
import type { IncomingMessage, ServerResponse } from "node:http";

export const READY_CONDITIONS = [
  "database_migrated",
  "listening",
  "first_heartbeat",
  "not_draining",
  "healthy",
] as const;
export type ReadyCondition = (typeof READY_CONDITIONS)[number];

export class Readiness {
  readonly #holds = new Map<ReadyCondition, boolean>([
    ["database_migrated", false],
    ["listening", false],
    ["first_heartbeat", false],
    ["not_draining", true],
    ["healthy", true],
  ]);

  set(condition: ReadyCondition, holds: boolean): void {
    this.#holds.set(condition, holds);
  }

  isReady(): boolean {
    return [...this.#holds.values()].every((holds) => holds);
  }

  conditions(): Record<string, boolean> {
    return Object.fromEntries(this.#holds);
  }

  /** Answers `/health` and `/ready`; false for any other path. */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    const path = request.url?.split("?", 1)[0];
    if (path === "/health") respond(request, response, { status: 200, body: { status: "ok" } });
    else if (path === "/ready") {
      const status = this.isReady() ? 200 : 503;
      respond(request, response, { status, body: { ready: status === 200, conditions: this.conditions() } });
    } else return false;
    return true;
  }
}

function respond(request: IncomingMessage, response: ServerResponse, answer: { status: number; body: object }): void {
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.writeHead(405, { allow: "GET, HEAD", "content-length": 0 }).end();
    return;
  }
  const body = JSON.stringify(answer.body);
  response
    .writeHead(answer.status, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      "cache-control": "no-store",
    })
    .end(request.method === "HEAD" ? undefined : body);
}
