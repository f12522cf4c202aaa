/** Calls from the browser to this site's own `/api/v1`, which passes them on with the session's token. */
import { ApiError, createClient } from "@obleth/contract/client";

export { ApiError };

export const api = createClient({ baseUrl: "" });

/** What to tell a person about a failed call. */
export function errorMessage(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  if (error instanceof DOMException && error.name === "TimeoutError") return "No answer in time.";
  // What a browser says of a server it cannot reach.
  return error instanceof TypeError ? "This dashboard's server cannot be reached." : "Something went wrong.";
}

/** The field a refused change complains about, null when it names none. */
export function errorField(error: unknown): string | null {
  return error instanceof ApiError ? error.details.field : null;
}

/** Whether a change was refused because someone else changed the object first. */
export function isStaleEdit(error: unknown): boolean {
  return error instanceof ApiError && error.status === 412;
}
