/**
 * Calls to the management API as bytes: bodies pass through unparsed and with their ETag. They travel here compressed
 * and are inflated, because the framework drops `Content-Encoding` from a handler's answer and compresses it itself.
 */
import http from "node:http";
import https from "node:https";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { getSettings } from "./settings";

export interface ManagementCall {
  readonly method: string;
  /** Path below `/api/v1`, starting with a slash, with its query. */
  readonly path: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal?: AbortSignal;
  /** Longest silence of the gateway before the call fails. */
  readonly timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const agents = {
  "http:": new http.Agent({ keepAlive: true, maxSockets: 64 }),
  "https:": new https.Agent({ keepAlive: true, maxSockets: 64 }),
};

/** The gateway's answer; rejects when it cannot be reached or stays silent. The caller consumes the body. */
export function callManagement(call: ManagementCall): Promise<http.IncomingMessage> {
  const { managementUrl } = getSettings();
  const url = new URL(`${managementUrl.pathname}${call.path}`, managementUrl.origin);
  const isTls = url.protocol === "https:";
  const headers: Record<string, string> = {
    accept: "application/json",
    "accept-encoding": "gzip",
    ...call.headers,
  };
  if (call.token !== undefined) headers.authorization = `Bearer ${call.token}`;
  if (call.body !== undefined) headers["content-length"] = String(call.body.byteLength);
  return new Promise((resolve, reject) => {
    const request = (isTls ? https : http).request(url, {
      method: call.method,
      headers,
      agent: isTls ? agents["https:"] : agents["http:"],
      timeout: call.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      ...(call.signal ? { signal: call.signal } : {}),
    });
    request.on("response", resolve);
    request.on("timeout", () => request.destroy(new Error("the gateway did not answer in time")));
    request.on("error", reject);
    request.end(call.body);
  });
}

/** The whole answer as JSON, null when the body is empty or no JSON. For small answers the server itself needs. */
export async function callManagementJson(
  call: ManagementCall,
): Promise<{ status: number; body: unknown; headers: http.IncomingHttpHeaders }> {
  const response = await callManagement(call);
  const chunks: Buffer[] = [];
  for await (const chunk of plainBody(response)) chunks.push(Buffer.from(chunk as Uint8Array));
  return {
    status: response.statusCode ?? 0,
    body: parseJson(Buffer.concat(chunks).toString("utf8")),
    headers: response.headers,
  };
}

/** The answer's body as a web stream. */
export function bodyStream(response: http.IncomingMessage): ReadableStream<Uint8Array> {
  return Readable.toWeb(plainBody(response)) as ReadableStream<Uint8Array>;
}

/** A live state of many pools in one piece: it is compressed again piece by piece, and small pieces compress badly. */
const PIECE_BYTES = 256 * 1024;

function plainBody(response: http.IncomingMessage): Readable {
  const isZipped = response.headers["content-encoding"] === "gzip";
  if (!isZipped) return response;
  // An answer that breaks off fails for its reader; what went wrong is told there.
  return pipeline(response, createGunzip({ chunkSize: PIECE_BYTES }), () => undefined);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
