/** Reading JSON from strangers. */

export type Checked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object in `bytes`; an empty body reads as `{}`. */
export function parseObject(bytes: Buffer): Checked<Record<string, unknown>> {
  if (bytes.length === 0) return { ok: true, value: {} };
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch {
    return { ok: false, problem: "the body is not JSON" };
  }
  return isRecord(value) ? { ok: true, value } : { ok: false, problem: "the body must be a JSON object" };
}

export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A whole number of at least 1, else null. */
export function countOf(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 ? value : null;
}
