/**
 * Finds the text fields the gateway needs in a `multipart/form-data` body, which is forwarded as received. Only parts
 * without a file name are read; a field that decides something may appear once.
 */
import type { ByteRange, CallFields, ScanResult } from "./scan-call";

const CRLF = "\r\n";
const HEADER_END = Buffer.from("\r\n\r\n");
const MAX_FIELD_BYTES = 4096;

/** Never throws. `contentType` is the request's header, with the boundary. */
export function scanForm(body: Buffer, contentType: string): ScanResult {
  const boundary = boundaryOf(contentType);
  if (boundary === null) return invalid("The multipart body's content type names no boundary.", null);
  const fields = new Map<string, ByteRange>();
  let part = body.indexOf(`--${boundary}`);
  while (part >= 0) {
    const headStart = part + boundary.length + 2;
    const headEnd = body.indexOf(HEADER_END, headStart);
    const next = body.indexOf(`${CRLF}--${boundary}`, headStart);
    if (headEnd < 0 || next < 0 || headEnd > next) break;
    const name = fieldName(body.toString("latin1", headStart, Math.min(headEnd, headStart + MAX_FIELD_BYTES)));
    if (name !== null) {
      if (fields.has(name)) return invalid(`The form gives "${name}" twice. Give it once.`, name);
      if (READ_FIELDS.has(name)) fields.set(name, { start: headEnd + HEADER_END.length, end: next });
    }
    part = next + CRLF.length;
  }
  return callOf(body, fields);
}

const READ_FIELDS = new Set(["model", "stream", "session_id"]);

function callOf(body: Buffer, fields: ReadonlyMap<string, ByteRange>): ScanResult {
  const modelAt = fields.get("model");
  const model = modelAt === undefined ? "" : textAt(body, modelAt);
  if (modelAt === undefined || model === "") {
    return invalid('The form names no model. Add a "model" field with a model\'s name.', "model");
  }
  const streamAt = fields.get("stream");
  const sessionAt = fields.get("session_id");
  const call: CallFields = {
    model,
    modelAt,
    stream: streamAt !== undefined && textAt(body, streamAt) === "true",
    streamOptionsAt: null,
    outputLimit: null,
    inputTokens: 0,
    clientSession: sessionAt === undefined ? null : textAt(body, sessionAt) || null,
    systemText: [],
    firstUserText: [],
  };
  return { kind: "call", fields: call };
}

function textAt(body: Buffer, at: ByteRange): string {
  return body.toString("utf8", at.start, Math.min(at.end, at.start + MAX_FIELD_BYTES)).trim();
}

function invalid(message: string, param: string | null): ScanResult {
  return { kind: "invalid", message, param };
}

function boundaryOf(contentType: string): string | null {
  const found = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType);
  return found?.[1] ?? found?.[2] ?? null;
}

/** The name of a plain field; null for files and for parts without one. */
function fieldName(head: string): string | null {
  if (/;\s*filename\*?=/i.test(head)) return null;
  return /content-disposition:[^\r\n]*;\s*name="([^"]*)"/i.exec(head)?.[1] ?? null;
}
