/** Faults of the gateway. Expected refusals are values, not errors; see `error-response.ts` for what clients read. */

/** Why the gateway cannot start, in one line that names what to do. Printed without a stack. */
export class StartError extends Error {
  readonly code = "cannot_start";

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StartError";
  }
}

const PRINTED_PLAINLY = new Set(["cannot_start", "bad_settings", "embedded_database", "schema_too_new"]);

/** The text for the terminal when starting failed: plain for foreseen reasons, with a stack for the others. */
export function startFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isForeseen = "code" in error && typeof error.code === "string" && PRINTED_PLAINLY.has(error.code);
  return isForeseen ? `obleth cannot start: ${error.message}` : (error.stack ?? error.message);
}
