/**
 * Finds the text fields the gateway needs in a `multipart/form-data` body, which is forwarded as received. Whatever decides
 * about access or routing must be said once and plainly: a form that another reader could take apart differently is
 * refused, because the backend might read the other field.
 */
import type { ByteRange, CallFields, ScanResult } from "./scan-call";

const CR = 0x0d;
const LF = 0x0a;
const DASH = 0x2d;
const HEADER_END = Buffer.from("\r\n\r\n");
/** Longest head of a part: a disposition with two names, and room to spare. */
const MAX_HEAD_BYTES = 4096;
/** Longest value that is read of a field: a model's name, as in JSON bodies. */
const MAX_FIELD_BYTES = 512;
/** As many as the usual servers take of fields or files; each costs work of its own, however short. */
const MAX_PARTS = 1000;

/** Never throws; cost is linear in the body's length. `contentType` is the request's header, with the boundary. */
export function scanForm(body: Buffer, contentType: string): ScanResult {
  const boundary = boundaryOf(contentType);
  if (boundary === null) return invalid("The multipart body's content type names no boundary.", null);
  const parts = partsOf(body, Buffer.from(`--${boundary}`, "latin1"));
  if (parts === null) return invalid("The form is not well-formed multipart data of this boundary.", null);
  if (parts.length > MAX_PARTS) return invalid(`The form has more than ${MAX_PARTS} parts. Send fewer.`, null);
  const fields = new Map<string, ByteRange>();
  for (const part of parts) {
    const headEnd = body.indexOf(HEADER_END, part.start - CRLF_BYTES);
    const valueAt = headEnd + HEADER_END.length;
    if (headEnd < 0 || valueAt > part.end || headEnd - part.start > MAX_HEAD_BYTES) return UNREADABLE_PART;
    const head = partHead(body.toString("latin1", part.start, Math.max(part.start, headEnd)));
    if (head === null) return UNREADABLE_PART;
    const { name } = head;
    if (name === null || !READ_FIELDS.has(name)) continue;
    if (head.isFile) return invalid(`The form gives "${name}" as a file. Give it as a plain field.`, name);
    if (fields.has(name)) return invalid(`The form gives "${name}" twice. Give it once.`, name);
    fields.set(name, { start: valueAt, end: part.end });
  }
  return callOf(body, fields);
}

const CRLF_BYTES = 2;

/** From the first byte of each part's head to the line break before the next boundary; null when the form is not whole. */
function partsOf(body: Buffer, delimiter: Buffer): ByteRange[] | null {
  const parts: ByteRange[] = [];
  let start = -1;
  for (let at = body.indexOf(delimiter); at >= 0; at = body.indexOf(delimiter, at + delimiter.length)) {
    if (at > 0 && !(body[at - 2] === CR && body[at - 1] === LF)) return null;
    if (start >= 0) parts.push({ start, end: at - CRLF_BYTES });
    if (parts.length > MAX_PARTS) return parts;
    const after = at + delimiter.length;
    if (body[after] === DASH && body[after + 1] === DASH) return body.indexOf(delimiter, after) < 0 ? parts : null;
    if (body[after] !== CR || body[after + 1] !== LF) return null;
    start = after + CRLF_BYTES;
  }
  return null;
}

const READ_FIELDS = new Set(["model", "stream", "session_id"]);

function callOf(body: Buffer, fields: ReadonlyMap<string, ByteRange>): ScanResult {
  const modelAt = fields.get("model");
  const model = modelAt === undefined ? "" : textAt(body, modelAt);
  if (modelAt === undefined || model === "") {
    return invalid('The form names no model. Add a "model" field with a model\'s name.', "model");
  }
  if (modelAt.end - modelAt.start > MAX_FIELD_BYTES) {
    return invalid('The "model" is too long to be a name.', "model");
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

const UNREADABLE_PART = invalid("The form has a part whose head is not plainly written.", null);

function invalid(message: string, param: string | null): ScanResult {
  return { kind: "invalid", message, param };
}

function boundaryOf(contentType: string): string | null {
  const found = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType);
  return found?.[1] ?? found?.[2] ?? null;
}

const DISPOSITION = /^content-disposition:[ \t]*form-data(?=[ \t]*(?:;|$))/i;
const PARAMETER = /[ \t]*;[ \t]*([a-z]+\*?)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))[ \t]*/iy;

/** What a part's header lines say of it: name null where they give none. Null when readers could disagree about that. */
function partHead(head: string): { name: string | null; isFile: boolean } | null {
  const lines = head.split("\r\n");
  if (lines.some((line) => /^[ \t]|[\r\n\0]/.test(line))) return null;
  const [line, second] = lines.filter((each) => /^content-disposition/i.test(each));
  if (line === undefined) return { name: null, isFile: false };
  const start = DISPOSITION.exec(line);
  if (second !== undefined || start === null) return null;
  let name: string | null = null;
  let isFile = false;
  PARAMETER.lastIndex = start[0].length;
  for (let at = start[0].length; at < line.length; at = PARAMETER.lastIndex) {
    const found = PARAMETER.exec(line);
    if (found === null) return null;
    const parameter = (found[1] ?? "").toLowerCase();
    if (parameter === "name*" || (parameter === "name" && name !== null)) return null;
    if (parameter === "name") name = found[2]?.replace(/\\(.)/g, "$1") ?? found[3] ?? "";
    else if (parameter.startsWith("filename")) isFile = true;
  }
  return { name, isFile };
}
