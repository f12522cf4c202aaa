/** Every way a command can refuse. A refusal rolls its transaction back: nothing has changed. */
export const REFUSAL_CODES = [
  "invalid_request",
  "not_found",
  "already_exists",
  "conflict",
  "group_not_empty",
  "last_admin",
  "stale_edit",
  "changed_since",
  "not_reversible",
  "idempotency_mismatch",
  "wrong_credentials",
] as const;
export type RefusalCode = (typeof REFUSAL_CODES)[number];

export class Refusal extends Error {
  override readonly name = "Refusal";
  /** `message` is written for the caller; `field` is the body's field at fault, in the API's names. */
  constructor(
    readonly code: RefusalCode,
    message: string,
    readonly field?: string,
  ) {
    super(message);
  }
}

export const notFound = (what: string) => new Refusal("not_found", `There is no such ${what}.`);

/** Refuses an edit of another version than the one that is there; without an expectation anything goes. */
export function checkVersion(row: { version: number }, expected: number | undefined): void {
  if (expected === undefined || expected === row.version) return;
  throw new Refusal("stale_edit", `It was changed since it was read: it is at version ${row.version}.`);
}
