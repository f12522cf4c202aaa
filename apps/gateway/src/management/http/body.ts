/** Reads a JSON body: bounded, strict about encoding, and only when it says it is JSON. */
import { Fault } from "./fault";

/** Configuration files are the largest bodies; nothing sensible is larger. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;
/** Deeper than anything the contract has; bounds the work of whoever walks it. */
const MAX_DEPTH = 64;

/** The parsed body; an empty one counts as `{}`. Throws a `Fault`. */
export async function readJsonBody(request: Request, maxBytes: number): Promise<unknown> {
  const limit = Math.min(maxBytes, MAX_BODY_BYTES);
  if (Number(request.headers.get("content-length") ?? 0) > limit) throw tooLarge(limit);
  const bytes = await readBytes(request, limit);
  if (bytes.length === 0) return {};
  checkHeaders(request.headers);
  try {
    const body: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    checkDepth(body, 0);
    return body;
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault("invalid_json", "The body is not valid JSON in UTF-8.");
  }
}

function checkHeaders(headers: Headers): void {
  const type = headers.get("content-type") ?? "";
  if (!/^application\/([a-z.+-]+\+)?json\s*(;|$)/i.test(type)) {
    throw new Fault("unsupported_media_type", "Send JSON, with content-type: application/json.");
  }
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(type)?.[1] ?? "utf-8";
  if (!/^utf-?8$/i.test(charset)) throw new Fault("unsupported_media_type", "Send JSON in UTF-8.");
  const encoding = headers.get("content-encoding") ?? "identity";
  if (!/^identity$/i.test(encoding)) {
    throw new Fault("unsupported_media_type", "Send the body as it is, without content-encoding.");
  }
}

async function readBytes(request: Request, limit: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  if (request.body === null) return Buffer.alloc(0);
  for await (const part of request.body as ReadableStream<Uint8Array>) {
    length += part.length;
    if (length > limit) throw tooLarge(limit);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function checkDepth(value: unknown, depth: number): void {
  if (typeof value !== "object" || value === null) return;
  if (depth > MAX_DEPTH) throw new Fault("invalid_request", "The body is nested too deeply.");
  for (const inner of Object.values(value)) checkDepth(inner, depth + 1);
}

const tooLarge = (limit: number) =>
  new Fault("body_too_large", `The body is larger than ${limit.toLocaleString("en-US")} bytes.`);
