/** Who is calling: from the credential in the request to the key's record. */
import type { IncomingMessage } from "node:http";
import type { Refusal } from "../../error-response";
import type { KeyDirectory, KeyRecord } from "../../policy-cache/records";

export type Authentication = { readonly key: KeyRecord } | { readonly refusal: Refusal };

const MISSING_KEY: Refusal = {
  code: "invalid_api_key",
  message: "No API key was sent. Send it as 'Authorization: Bearer <key>' or as 'x-api-key: <key>'.",
};
const UNKNOWN_KEY: Refusal = {
  code: "invalid_api_key",
  message: "The API key is not known. Check that it is complete and has not been deleted.",
};
const KEYS_UNAVAILABLE: Refusal = {
  code: "policy_unavailable",
  message: "API keys cannot be checked at the moment. Try again shortly.",
  retryAfterSecs: 5,
};

/** Calls `done` once: before returning when the key is cached or missing, later when it has to be looked up. */
export function authenticate(req: IncomingMessage, keys: KeyDirectory, done: (result: Authentication) => void): void {
  const secret = secretOf(req);
  if (secret === null) {
    done({ refusal: MISSING_KEY });
    return;
  }
  const found = keys.find(secret);
  if (!(found instanceof Promise)) {
    done(found === undefined ? { refusal: UNKNOWN_KEY } : { key: found });
    return;
  }
  // Fails closed: without an answer from the database nobody unknown gets in.
  found.then(
    (key) => done(key === undefined ? { refusal: UNKNOWN_KEY } : { key }),
    () => done({ refusal: KEYS_UNAVAILABLE }),
  );
}

/** The secret as sent; null when there is none. `Authorization` goes first when both headers are there. */
function secretOf(req: IncomingMessage): string | null {
  const { authorization } = req.headers;
  if (authorization !== undefined && authorization.length > 7 && isBearer(authorization)) {
    const token = authorization.slice(7).trim();
    if (token !== "") return token;
  }
  const apiKey = req.headers["x-api-key"];
  const token = typeof apiKey === "string" ? apiKey.trim() : "";
  return token === "" ? null : token;
}

function isBearer(authorization: string): boolean {
  return authorization.startsWith("Bearer ") || authorization.slice(0, 7).toLowerCase() === "bearer ";
}
