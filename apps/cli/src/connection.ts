/** Which gateway to call, and with what token. */
import { type ApiClient, createClient } from "@obleth/contract/client";
import type { Environment } from "./environment";
import { type CallPlace, usageError } from "./failure";
import { isLoopback, localGateway } from "./places";

const DEFAULT_URL = "http://127.0.0.1:9180";
/** Imports of large files are the slowest calls; past this a hung gateway is likelier than a busy one. */
const ANSWER_MS = 60_000;

export interface Connection extends CallPlace {
  readonly api: ApiClient;
}

export interface ConnectionOptions {
  readonly url?: string | undefined;
  readonly token?: string | undefined;
}

/** Options win over the environment, the environment over what is found on this machine. */
export function connect(options: ConnectionOptions, environment: Environment): Connection {
  const local = localGateway(environment);
  const url = checkedUrl(options.url ?? environment.managementUrl ?? local?.url ?? DEFAULT_URL);
  const kept = isLoopback(url) ? (local?.token ?? null) : null;
  const token = options.token ?? environment.adminToken ?? kept;
  if (token !== null && !/^[\x21-\x7e]+$/.test(token)) {
    throw usageError("The token has characters in it that no admin token has.", "Check OBLETH_ADMIN_TOKEN or --token.");
  }
  const api = createClient({
    baseUrl: url,
    fetch: (address, init) => fetch(address, { signal: AbortSignal.timeout(ANSWER_MS), ...init, redirect: "error" }),
    ...(token === null ? {} : { token }),
  });
  return { url, hasToken: token !== null, api };
}

function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.search !== "" || url.hash !== "") {
    const hint = `It looks like ${DEFAULT_URL}; give it with --url or OBLETH_MANAGEMENT_URL.`;
    throw usageError("The gateway's address must be an http or https address without user, query or fragment.", hint);
  }
  return text.replace(/\/+$/, "").replace(/\/api\/v1$/, "");
}
