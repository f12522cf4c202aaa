/**
 * A model's endpoints in a file. Credentials are plain text or, better, `${NAME}` of the environment; they cannot travel
 * in a configuration, which holds sealed ones only, so they are written one by one afterwards.
 */
import { randomUUID } from "node:crypto";
import { endpointCreate } from "@obleth/contract";
import { usageError } from "../failure";
import type { Row } from "../resources/loose-client";
import type { CompleteOptions } from "./complete";

export interface CredentialChange {
  readonly model: string;
  readonly modelId: string;
  readonly endpoint: string;
  readonly endpointId: string;
  readonly body: { readonly api_key?: string | null; readonly headers?: Readonly<Record<string, string | null>> };
}

interface About extends CompleteOptions {
  readonly model: string;
  readonly modelId: string;
}

export function completeEndpoints(
  wanted: readonly Row[],
  present: readonly Row[],
  about: About,
): { endpoints: Row[]; credentials: CredentialChange[] } {
  const credentials: CredentialChange[] = [];
  const endpoints = wanted.map((entry, index) => {
    const { api_key: apiKey, headers, ...fields } = entry;
    const name = String(entry.name ?? `endpoint-${index + 1}`);
    const before = present.find((one) => one.name === name) ?? null;
    const kept = before ?? freshEndpoint();
    const isMoved = before !== null && entry.api_base !== undefined && entry.api_base !== before.api_base;
    const place = `${about.model}, ${name}`;
    const body = {
      ...(isKeyDue(apiKey, kept, about.withCredentials || isMoved)
        ? { api_key: credential(apiKey, `${place}, api_key`, about) }
        : {}),
      ...(areHeadersDue(headers, kept, about.withCredentials || isMoved)
        ? { headers: headersOf(headers as Row, place, about) }
        : {}),
    };
    const endpoint: Row = {
      ...kept,
      ...fields,
      name,
      ...(before === null ? {} : { id: before.id }),
      // A credential must not go to another address than the one it was stored for while its successor is on the way.
      ...(isMoved && body.api_key !== undefined ? { api_key_sealed: null } : {}),
    };
    if (Object.keys(body).length > 0) {
      const { model, modelId } = about;
      credentials.push({ model, modelId, endpoint: name, endpointId: String(endpoint.id), body });
    }
    return endpoint;
  });
  return { endpoints, credentials };
}

function freshEndpoint(): Row {
  const {
    api_base: _base,
    name: _name,
    api_key: _key,
    headers: _headers,
    ...fields
  } = endpointCreate.parse({
    api_base: "http://localhost/v1",
  });
  return { id: randomUUID(), ...fields, api_key_sealed: null, headers_sealed: [] };
}

/** Stored credentials cannot be compared, so one is written where there is none, or on demand. */
function isKeyDue(given: unknown, kept: Row, isForced: boolean): boolean {
  if (given === undefined) return false;
  if (given === null) return kept.api_key_sealed !== null;
  return isForced || kept.api_key_sealed === null;
}

function areHeadersDue(given: unknown, kept: Row, isForced: boolean): boolean {
  if (given === undefined || given === null) return false;
  if (typeof given !== "object") return true;
  const stored = (kept.headers_sealed as readonly (readonly [string, string])[]).map(([name]) => name).sort();
  return isForced || Object.keys(given).sort().join("\n") !== stored.join("\n");
}

function headersOf(given: Row, place: string, options: CompleteOptions): Record<string, string | null> {
  const entries = Object.entries(given).map(([name, value]) => [name, credential(value, `${place}, ${name}`, options)]);
  return Object.fromEntries(entries) as Record<string, string | null>;
}

function credential(given: unknown, place: string, { variable }: CompleteOptions): string | null {
  if (given === null) return null;
  if (typeof given !== "string") throw usageError(`${place} must be text or \${NAME} of an environment variable.`);
  return given.replace(/\$\{(\w+)\}/g, (_, name: string) => {
    const value = variable(name);
    if (value === undefined || value === "") throw usageError(`${place} needs the environment variable ${name}.`);
    return value;
  });
}
