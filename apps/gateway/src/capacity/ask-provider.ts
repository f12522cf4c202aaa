/**
 * Questions that administrators ask a backend directly: is it there, and which models does it serve. Outside the
 * request path, so plain requests under one deadline; the same rules about addresses hold.
 */
import { Agent, request } from "undici";
import { type AddressRules, baseUrlProblem, guardedLookup } from "../upstream/address-guard";

export interface Provider {
  /** Up to and including `/v1`. */
  readonly apiBase: string;
  readonly apiKey: string | null;
  readonly protocol: "openai" | "anthropic";
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ProviderAnswer {
  /** Null when there was no answer. */
  readonly status: number | null;
  readonly durationMs: number;
  /** For people; holds no credential. */
  readonly message: string;
  readonly models: readonly string[];
}

/** Somebody waits before a form: a provider that needs longer would be tried again anyway. */
const DEADLINE_MS = 10_000;
/** A list longer than this is no list of models. */
const MAX_BYTES = 4 * 1024 * 1024;
/** Models shown: nobody picks from a longer list. */
const MAX_MODELS = 1_000;

/** Asks `GET /models`. Never rejects for a fault of the provider. */
export async function askProvider(provider: Provider, rules: AddressRules): Promise<ProviderAnswer> {
  const problem = baseUrlProblem(provider.apiBase, rules);
  if (problem !== null) return { status: null, durationMs: 0, message: `The address ${problem}.`, models: [] };
  const startMs = performance.now();
  const agent = new Agent({ connect: { lookup: guardedLookup(rules), timeout: DEADLINE_MS }, pipelining: 0 });
  try {
    const { statusCode, body } = await request(`${provider.apiBase.replace(/\/+$/, "")}/models`, {
      dispatcher: agent,
      headers: headersOf(provider),
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    const models = modelNames(await readBounded(body));
    return {
      status: statusCode,
      durationMs: Math.round(performance.now() - startMs),
      message: messageOf(statusCode),
      models,
    };
  } catch (error) {
    return { status: null, durationMs: Math.round(performance.now() - startMs), message: faultOf(error), models: [] };
  } finally {
    await agent.destroy();
  }
}

function headersOf({ apiKey, protocol, headers }: Provider): Record<string, string> {
  const credential: Record<string, string> =
    apiKey === null ? {} : protocol === "anthropic" ? { "x-api-key": apiKey } : { authorization: `Bearer ${apiKey}` };
  const version: Record<string, string> = protocol === "anthropic" ? { "anthropic-version": "2023-06-01" } : {};
  return { accept: "application/json", ...version, ...credential, ...headers };
}

async function readBounded(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) return "";
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Both protocols answer `{data: [{id}]}`. */
function modelNames(text: string): string[] {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return [];
  }
  const data = typeof answer === "object" && answer !== null && "data" in answer ? answer.data : undefined;
  if (!Array.isArray(data)) return [];
  const ids = data.map((entry: unknown) =>
    typeof entry === "object" && entry !== null && "id" in entry && typeof entry.id === "string" ? entry.id : "",
  );
  return [...new Set(ids.filter((id) => id !== ""))].sort().slice(0, MAX_MODELS);
}

function messageOf(status: number): string {
  if (status < 300) return "It answered.";
  if (status === 401 || status === 403) return `It answered ${status}: the credential was not accepted.`;
  if (status === 404) return "It answered 404: there is no list of models at this address.";
  return `It answered ${status}.`;
}

/** The system's reason in words. Messages of other kinds may quote what was sent, so only known ones are shown. */
function faultOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const name = error instanceof Error ? error.name : "";
  if (name === "TimeoutError" || code.includes("TIMEOUT")) return `No answer within ${DEADLINE_MS / 1000} s.`;
  if (code === "ECONNREFUSED") return "The connection was refused.";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "The host name is not known.";
  if (code === "OBLETH_ADDRESS_REFUSED") return "The host's address is in a range the gateway does not connect to.";
  if (code.includes("CERT") || code.includes("SELF_SIGNED")) return `The certificate was not accepted (${code}).`;
  return code === "" ? "There was no answer." : `There was no answer (${code}).`;
}
