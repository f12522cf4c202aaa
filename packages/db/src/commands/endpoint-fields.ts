/** What can be set on an endpoint. Credentials arrive sealed; undefined keeps the stored one, null removes it. */
import { and, eq, sql } from "drizzle-orm";
import { difference, toJson } from "../json-record";
import type { EndpointRow } from "../queries/load-models";
import { endpoints } from "../schema";
import type { Change } from "./change";
import { Refusal } from "./refusal";

export interface EndpointFields {
  readonly name: string;
  readonly apiBase: string;
  readonly protocol: "openai" | "anthropic";
  readonly upstreamModel: string | null;
  readonly weight: number;
  readonly priority: number;
  readonly maxInFlight: number | null;
  readonly enabled: boolean;
}

export interface EndpointSecrets {
  readonly apiKeySealed?: string | null | undefined;
  /** All headers there shall be; a null value keeps the stored one. Undefined leaves the headers as they are. */
  readonly headersSealed?: readonly (readonly [string, string | null])[] | undefined;
}
export type EndpointPatch = {
  readonly [Name in keyof EndpointFields]?: EndpointFields[Name] | undefined;
} & EndpointSecrets;
/** Without a name it is numbered. */
export type NewEndpoint = Omit<EndpointFields, "name"> & {
  readonly name?: string | undefined;
  readonly id?: string | undefined;
} & EndpointSecrets;

export function endpointFields(row: EndpointRow): EndpointFields {
  const { name, apiBase, protocol, upstreamModel, weight, priority, maxInFlight, enabled } = row;
  return { name, apiBase, protocol, upstreamModel, weight, priority, maxInFlight, enabled };
}

/** What the audit log keeps: credentials only as set or not, headers only by name. */
export function endpointAudit(row: EndpointRow): Record<string, unknown> {
  return {
    ...toJson(endpointFields(row)),
    api_key_set: row.apiKeySealed !== null,
    header_names: row.headersSealed.map(([name]) => name),
  };
}

/** Adds an endpoint to a model that has `endpoints`. Refuses a name that one of them has. */
export async function insertEndpoint(
  inside: Change,
  model: { id: string; endpoints: readonly EndpointRow[] },
  wanted: NewEndpoint,
): Promise<EndpointRow> {
  const { id, apiKeySealed, headersSealed, ...fields } = wanted;
  const name = wanted.name ?? freeName(model.endpoints);
  if (model.endpoints.some((one) => one.name === name)) {
    throw new Refusal("already_exists", `The model has an endpoint named ${name} already.`, "name");
  }
  const [row] = await inside.tx
    .insert(endpoints)
    .values({
      ...fields,
      ...(id === undefined ? {} : { id }),
      name,
      modelId: model.id,
      apiKeySealed: apiKeySealed ?? null,
      headersSealed: mergeHeaders([], headersSealed ?? []),
      createdAt: inside.now,
      updatedAt: inside.now,
    })
    .returning();
  if (row === undefined) throw new Error("an insert returned no row");
  return row;
}

/** Saves what differs; returns the row as it is afterwards and what the audit log should say, null for nothing. */
export async function editEndpointRow(
  inside: Change,
  row: EndpointRow,
  patch: EndpointPatch,
): Promise<{ saved: EndpointRow; changed: ReturnType<typeof difference>; isSecretChanged: boolean }> {
  const { apiKeySealed, headersSealed, ...given } = patch;
  const next: EndpointRow = {
    ...row,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    apiKeySealed: apiKeySealed === undefined ? row.apiKeySealed : apiKeySealed,
    headersSealed: headersSealed === undefined ? row.headersSealed : mergeHeaders(row.headersSealed, headersSealed),
  };
  const isSecretChanged =
    next.apiKeySealed !== row.apiKeySealed || JSON.stringify(next.headersSealed) !== JSON.stringify(row.headersSealed);
  const fields = difference(endpointAudit(row), endpointAudit(next));
  if (fields === null && !isSecretChanged) return { saved: row, changed: null, isSecretChanged };
  if (next.name !== row.name) await checkName(inside, row.modelId, next.name);
  const [saved] = await inside.tx
    .update(endpoints)
    .set({
      ...endpointFields(next),
      apiKeySealed: next.apiKeySealed,
      headersSealed: next.headersSealed,
      version: sql`version + 1`,
      updatedAt: inside.now,
    })
    .where(eq(endpoints.id, row.id))
    .returning();
  if (saved === undefined) throw new Error("a row just read is not there");
  const changed = fields ?? { before: {}, after: {} };
  if (isSecretChanged) changed.after.credentials_changed = true;
  return { saved, changed, isSecretChanged };
}

async function checkName(inside: Change, modelId: string, name: string): Promise<void> {
  const [other] = await inside.tx
    .select({ id: endpoints.id })
    .from(endpoints)
    .where(and(eq(endpoints.modelId, modelId), eq(endpoints.name, name)));
  if (other !== undefined) {
    throw new Refusal("already_exists", `The model has an endpoint named ${name} already.`, "name");
  }
}

function mergeHeaders(
  stored: readonly (readonly [string, string])[],
  wanted: readonly (readonly [string, string | null])[],
): [string, string][] {
  const kept = new Map(stored.map(([name, value]) => [name.toLowerCase(), value]));
  const seen = new Set<string>();
  return wanted.map(([name, value]) => {
    const sealed = value ?? kept.get(name.toLowerCase());
    const field = `headers.${name}`;
    if (sealed === undefined) throw new Refusal("invalid_request", "There is no stored value to keep.", field);
    if (seen.has(name.toLowerCase())) throw new Refusal("invalid_request", "The header is given twice.", field);
    seen.add(name.toLowerCase());
    return [name, sealed];
  });
}

function freeName(present: readonly EndpointRow[]): string {
  const names = new Set(present.map((endpoint) => endpoint.name));
  for (let number = 1; ; number++) {
    const name = `endpoint-${number}`;
    if (!names.has(name)) return name;
  }
}
