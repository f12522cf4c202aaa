/**
 * Makes a complete configuration of a partial one: what an entry leaves out stays as it is, and for something new takes
 * the contract's default. Only what the file names is in the result, so everything else is left alone.
 */
import { randomUUID } from "node:crypto";
import { type ConfigFile, groupCreate, modelCreate, tenantCreate } from "@obleth/contract";
import { usageError } from "../failure";
import type { Row } from "../resources/loose-client";
import { type CredentialChange, completeEndpoints } from "./endpoints";
import type { GivenConfiguration } from "./read-file";

export type EntryKind = "group" | "model" | "tenant" | "key" | "boost";

/** One entry of the file beside what is there. */
export interface Entry {
  readonly kind: EntryKind;
  readonly name: string;
  /** Null: it is new. */
  readonly before: Row | null;
  readonly after: Row;
}

/** A key the file names and nobody has: made after the rest, since only the gateway makes secrets. */
export interface NewKey {
  readonly tenantId: string;
  readonly tenantName: string;
  readonly body: Row;
}

export interface Completed {
  readonly entries: readonly Entry[];
  readonly ceiling: { readonly before: number | null; readonly after: number | null };
  readonly credentials: readonly CredentialChange[];
  readonly newKeys: readonly NewKey[];
}

export interface CompleteOptions {
  /** Writes credentials of the file even where one is stored. */
  readonly withCredentials: boolean;
  readonly variable: (name: string) => string | undefined;
}

export function complete(given: GivenConfiguration, current: ConfigFile, options: CompleteOptions): Completed {
  const groups = completeGroups(given.groups, current);
  const credentials: CredentialChange[] = [];
  const models = given.models.map((entry): Entry => {
    const before = matching(entry, current.models);
    const { api_base: base, api_key: key, upstream_model: upstream, protocol, endpoints, ...fields } = entry;
    const shorthand =
      base === undefined ? undefined : [defined({ api_base: base, api_key: key, upstream_model: upstream, protocol })];
    const model = {
      ...(before ?? { id: randomUUID(), ...defaults(modelCreate.parse({ name: "-" })) }),
      ...fields,
      ...keptId(before),
    };
    const about = { model: String(entry.name), modelId: String((model as Row).id), ...options };
    const present = (before?.endpoints ?? []) as readonly Row[];
    const wanted = (endpoints ?? shorthand) as readonly Row[] | undefined;
    const done =
      wanted === undefined ? { endpoints: present, credentials: [] } : completeEndpoints(wanted, present, about);
    credentials.push(...done.credentials);
    return { kind: "model", name: String(entry.name), before, after: { ...model, endpoints: done.endpoints } };
  });
  const tenants = given.tenants.map((entry): Entry => {
    const before = matching(entry, current.tenants);
    const base = before ?? { id: randomUUID(), ...defaults(tenantCreate.parse({ name: "-" })) };
    return { kind: "tenant", name: String(entry.name), before, after: { ...base, ...entry, ...keptId(before) } };
  });
  const owners = new Owners(given, tenants, current);
  const { keys, newKeys } = completeKeys(given.keys, current, owners);
  const boosts = given.boosts.map((entry, index) => completeBoost(entry, index, { current, owners }));
  const { global_max_in_flight: ceiling = current.global_max_in_flight } = given;
  return {
    entries: [...groups, ...models, ...tenants, ...keys, ...boosts],
    ceiling: { before: current.global_max_in_flight, after: ceiling },
    credentials,
    newKeys,
  };
}

function completeGroups(given: readonly Row[], current: ConfigFile): Entry[] {
  const used = new Set<unknown>([...current.groups, ...given].map((group) => (group as Row).color));
  return given.map((entry): Entry => {
    const before = current.groups.find(({ name }) => name === entry.name) ?? null;
    const base = before ?? { ...groupCreate.parse({ name: "-" }), color: freeColor(used) };
    return { kind: "group", name: String(entry.name), before, after: { ...base, ...entry } };
  });
}

function freeColor(used: Set<unknown>): number {
  let color = 0;
  while (used.has(color)) color++;
  used.add(color);
  return color;
}

/** Whose an entry is: by the file's own tenants first, whose ids may differ from those in force, then by those there. */
class Owners {
  readonly #idOfName = new Map<string, string>();
  readonly #nameOfId = new Map<string, string>();
  readonly #idInForce = new Map<unknown, string>();

  constructor(given: GivenConfiguration, tenants: readonly Entry[], current: ConfigFile) {
    for (const { id, name } of current.tenants) this.#add(id, name);
    for (const [index, { name, after }] of tenants.entries()) {
      const id = String(after.id);
      this.#add(id, name);
      this.#idInForce.set(given.tenants[index]?.id ?? id, id);
    }
  }

  of(entry: Row, place: string): { readonly id: string; readonly name: string } {
    if (typeof entry.tenant === "string") {
      const id = this.#idOfName.get(entry.tenant);
      if (id === undefined)
        throw usageError(`${place}: there is no tenant named ${entry.tenant}, here or in the file.`);
      return { id, name: entry.tenant };
    }
    if (typeof entry.tenant_id !== "string") throw usageError(`${place}: say whose it is with tenant.`);
    const id = this.#idInForce.get(entry.tenant_id) ?? entry.tenant_id;
    return { id, name: this.#nameOfId.get(id) ?? id };
  }

  #add(id: string, name: string): void {
    this.#idOfName.set(name, id);
    this.#nameOfId.set(id, name);
  }
}

function completeKeys(
  given: readonly Row[],
  current: ConfigFile,
  owners: Owners,
): { keys: Entry[]; newKeys: NewKey[] } {
  const keys: Entry[] = [];
  const newKeys: NewKey[] = [];
  for (const [index, entry] of given.entries()) {
    const { id: tenantId, name: tenantName } = owners.of(entry, `keys.${index}`);
    const { tenant: _tenant, tenant_id: _id, ...fields } = entry;
    const title = `${String(entry.name)} of ${tenantName}`;
    const before =
      current.keys.find(({ id }) => id === entry.id) ??
      current.keys.find((key) => entry.id === undefined && key.tenant_id === tenantId && key.name === entry.name) ??
      null;
    if (before === null && entry.secret_hash === undefined) {
      newKeys.push({ tenantId, tenantName, body: fields });
    } else {
      keys.push({ kind: "key", name: title, before, after: { ...before, ...fields, tenant_id: tenantId } });
    }
  }
  return { keys, newKeys };
}

function completeBoost(entry: Row, index: number, { current, owners }: { current: ConfigFile; owners: Owners }): Entry {
  if (entry.id === undefined) {
    const hint = "A boost is temporary: make it with obleth boosts create, which ends it by itself.";
    throw usageError(`boosts.${index}: a file can only bring back boosts of an export, which have an id.`, hint);
  }
  const owner = owners.of(entry, `boosts.${index}`);
  const before = current.boosts.find(({ id }) => id === entry.id) ?? null;
  const { tenant: _tenant, ...fields } = entry;
  return { kind: "boost", name: `of ${owner.name}`, before, after: { ...before, ...fields, tenant_id: owner.id } };
}

/** The one with the entry's id, else with its name. */
function matching<One extends { id: string; name: string }>(entry: Row, present: readonly One[]): One | null {
  return present.find(({ id }) => id === entry.id) ?? present.find(({ name }) => name === entry.name) ?? null;
}

/** What is there keeps its id, whatever the file calls it. */
function keptId(before: { readonly id: string } | null): { id?: string } {
  return before === null ? {} : { id: before.id };
}

function defaults({ name: _name, ...fields }: Row): Row {
  return defined(fields);
}

function defined(fields: Row): Row {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
