/**
 * The two changes the gateway makes to a body it forwards: the model's name where the endpoint uses another, and a
 * request for usage figures in streams. All other bytes are the client's own.
 */
import type { EditedBytes, Replacement } from "./edited-bytes";
import type { ByteRange, CallFields } from "./scan-call";

export interface BodyEdits {
  /** The name to put in place of the client's; null leaves it. */
  readonly model: string | null;
  readonly asksUsage: boolean;
  /** True for a multipart body, where a field's value has no quotes. */
  readonly isForm: boolean;
}

/** What the edits put where. */
function replacementsFor(body: Buffer, fields: CallFields, edits: BodyEdits): Replacement[] {
  const replacements: Replacement[] = [];
  if (edits.model !== null) {
    const text = edits.isForm ? edits.model : JSON.stringify(edits.model);
    replacements.push({ ...fields.modelAt, bytes: Buffer.from(text) });
  }
  if (edits.asksUsage) replacements.push(usageRequest(body, fields.streamOptionsAt));
  return replacements;
}

/** The body with the edits made; the very same buffer when there are none. */
export function rewriteBody(body: EditedBytes, fields: CallFields, edits: BodyEdits): Buffer {
  const name = `${edits.asksUsage ? "asks" : ""} ${edits.model ?? ""}`;
  return body.with(edits.model === null && !edits.asksUsage ? "" : name, (original) =>
    replacementsFor(original, fields, edits),
  );
}

/**
 * Whether the caller's own options leave the final usage event out, so that the gateway has to ask for it. Options that
 * are no object, or an `include_usage` that is no boolean, are the backend's to judge and stay as they are.
 */
export function leavesUsageOut(body: Buffer, streamOptionsAt: ByteRange | null): boolean {
  if (streamOptionsAt === null) return true;
  const options = parseOptions(body, streamOptionsAt);
  if (options === null) return true;
  if (typeof options !== "object" || Array.isArray(options)) return false;
  const asked = (options as { include_usage?: unknown }).include_usage;
  return asked === undefined || asked === null || asked === false;
}

function usageRequest(body: Buffer, at: ByteRange | null): Replacement {
  if (at === null) {
    const afterBrace = body.indexOf("{") + 1;
    return { start: afterBrace, end: afterBrace, bytes: ASKS_USAGE };
  }
  const options = parseOptions(body, at);
  return { ...at, bytes: Buffer.from(JSON.stringify({ ...(options as object | null), include_usage: true })) };
}

const ASKS_USAGE = Buffer.from('"stream_options":{"include_usage":true},');

/** The options' value; their syntax has been checked by the scan. */
function parseOptions(body: Buffer, at: ByteRange): unknown {
  try {
    return JSON.parse(body.toString("utf8", at.start, at.end));
  } catch {
    return undefined;
  }
}
