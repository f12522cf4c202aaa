/**
 * Writes the gateway's own answers: refusals, lists, empty ones. An answer given before the whole request has arrived
 * closes the connection, but not before the client has had a chance to read it.
 */
import type { IncomingMessage, ServerResponse } from "node:http";

/** How long a client that is still sending gets to notice its answer, ms. */
const LINGER_MS = 1000;
/** Bytes of an unwanted body that are read and dropped meanwhile. */
const LINGER_BYTES = 1024 * 1024;

export interface Answer {
  readonly status: number;
  /** Flat list of names and values. */
  readonly headers: readonly string[];
  readonly body: Buffer | null;
}

/** Sends a complete answer. Does nothing when the head has gone out or the client is gone. */
export function sendAnswer(req: IncomingMessage, res: ServerResponse, answer: Answer): void {
  if (res.headersSent || res.destroyed) return;
  const headers = [...answer.headers];
  const isEarly = !req.complete;
  if (isEarly && !headers.includes("connection")) headers.push("connection", "close");
  res.writeHead(answer.status, headers);
  const body = req.method === "HEAD" ? null : answer.body;
  if (!isEarly) {
    res.end(body ?? undefined);
    return;
  }
  if (body !== null) res.write(body);
  else res.flushHeaders();
  lingerThenEnd(req, res);
}

/** Breaks off an answer under way so that it cannot look whole: where the connection's end is its end, by a reset. */
export function breakOff(res: ServerResponse): void {
  if (res.req.httpVersionMajor === 1 && res.req.httpVersionMinor === 0) res.socket?.resetAndDestroy();
  else res.destroy();
}

export function jsonAnswer(json: string): Answer {
  const body = Buffer.from(json);
  return { status: 200, headers: ["content-type", "application/json", "content-length", String(body.length)], body };
}

function lingerThenEnd(req: IncomingMessage, res: ServerResponse): void {
  let dropped = 0;
  const end = (): void => {
    clearTimeout(timer);
    req.removeAllListeners("data");
    res.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  timer.unref();
  req.on("data", (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > LINGER_BYTES) end();
  });
  req.once("end", end);
  req.once("close", end);
  req.resume();
}
