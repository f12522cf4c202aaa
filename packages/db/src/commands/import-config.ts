/**
 * Makes the configuration hold what a file says: what it names is made or changed, the rest is left alone. Objects keep
 * the ids of the file, so keys go on working and links stay good; one that is there under the same name with another id
 * keeps its own. All or nothing: a refusal's field begins with the entry's place in the file.
 */
import { eq, sql } from "drizzle-orm";
import type { Db } from "../client";
import { toRow } from "../json-record";
import { findBoost } from "../queries/read-boosts";
import { findGroup } from "../queries/read-groups";
import { findKey } from "../queries/read-keys";
import { findModel, findModelName } from "../queries/read-models";
import { findTenant, findTenantByName } from "../queries/read-tenants";
import { boosts, keys } from "../schema";
import { boostAudit, boostTitle } from "./boost-audit";
import { type Change, type ChangeContext, type Changed, change } from "./change";
import { addGroup } from "./create-group";
import { addModel } from "./create-model";
import { addTenant } from "./create-tenant";
import type { NewEndpoint } from "./endpoint-fields";
import { type KeyFields, keyAudit, keyTitle } from "./key-fields";
import type { ModelFields } from "./model-fields";
import { checkVersion, Refusal } from "./refusal";
import { editGlobalCeiling, readGlobalCeiling } from "./set-global-ceiling";
import type { TenantFields } from "./tenant-fields";
import { editGroup } from "./update-group";
import { editKey } from "./update-key";
import { editModel } from "./update-model";
import { editTenant } from "./update-tenant";

interface GroupEntry {
  readonly name: string;
  readonly weight: number;
  readonly color: number;
}
type ModelEntry = { readonly id: string; readonly name: string; readonly endpoints: readonly object[] };
type TenantEntry = { readonly id: string; readonly name: string };
interface KeyEntry {
  readonly id: string;
  readonly tenant_id: string;
}
interface BoostEntry {
  readonly id: string;
  readonly tenant_id: string;
  readonly model: string | null;
  readonly factor: number | null;
  readonly weight: number | null;
  readonly reason: string;
  readonly expires_at: string;
  readonly created_by: string;
}

/** A file that the contract's schema has accepted. */
export interface ConfigFileContent {
  readonly groups: readonly GroupEntry[];
  readonly models: readonly ModelEntry[];
  readonly tenants: readonly TenantEntry[];
  readonly keys: readonly KeyEntry[];
  readonly boosts: readonly BoostEntry[];
  readonly global_max_in_flight: number | null;
}

export interface ConfigImportChange {
  readonly type: string;
  readonly name: string;
  readonly action: "create" | "update" | "unchanged";
  readonly fields: string[];
}

/** `expectedVersion` of the configuration: any other one is refused as stale. */
export function importConfig(
  db: Db,
  context: ChangeContext,
  { file, expectedVersion }: { readonly file: ConfigFileContent; readonly expectedVersion?: number | undefined },
): Promise<Changed<ConfigImportChange[]>> {
  return change(db, context, async (inside) => {
    checkVersion({ version: inside.versionBefore }, expectedVersion);
    refuseTwice("groups", file.groups, ["name"]);
    refuseTwice("models", file.models, ["id", "name"]);
    refuseTwice("tenants", file.tenants, ["id", "name"]);
    refuseTwice("keys", file.keys, ["id"]);
    refuseTwice("boosts", file.boosts, ["id"]);
    const importing = new Importing(inside);
    await importing.each("group", file.groups, (step, entry) => importGroup(step, entry));
    await importing.each("model", file.models, (step, entry) => importModel(step, entry));
    const tenantIds = new Map<string, string>();
    await importing.each("tenant", file.tenants, async (step, entry) => {
      tenantIds.set(entry.id, await importTenant(step, entry));
    });
    const owner = (id: string) => tenantIds.get(id) ?? id;
    await importing.each("key", file.keys, (step, entry) => importKey(step, entry, owner(entry.tenant_id)));
    await importing.each("boost", file.boosts, (step, entry) => importBoost(step, entry, owner(entry.tenant_id)));
    const ceiling = await readGlobalCeiling(inside.tx);
    await editGlobalCeiling(inside, ceiling, file.global_max_in_flight);
    return importing.changes;
  });
}

/** Of two entries for one object the later one would win, and nobody would know. */
function refuseTwice<Field extends string>(
  list: string,
  entries: readonly Readonly<Record<Field, string>>[],
  fields: readonly Field[],
): void {
  for (const field of fields) {
    const seen = new Set<string>();
    for (const [index, entry] of entries.entries()) {
      const value = entry[field];
      if (seen.has(value))
        throw new Refusal("invalid_request", `${value} is given twice.`, `${list}.${index}.${field}`);
      seen.add(value);
    }
  }
}

/** Walks a file and keeps, per entry, what its audit rows say. */
class Importing {
  readonly changes: ConfigImportChange[] = [];
  readonly #inside: Change;

  constructor(inside: Change) {
    this.#inside = inside;
  }

  async each<Entry extends { name?: string; id?: string }>(
    type: string,
    entries: readonly Entry[],
    run: (inside: Change, entry: Entry) => Promise<unknown>,
  ): Promise<void> {
    for (const [index, entry] of entries.entries()) {
      const fields: string[] = [];
      let isNew = false;
      const inside: Change = {
        ...this.#inside,
        audit: (row) => {
          isNew ||= row.before === null;
          fields.push(...Object.keys(row.after ?? {}));
          this.#inside.audit(row);
        },
      };
      try {
        await run(inside, entry);
      } catch (error) {
        throw placed(error, `${type}s.${index}`);
      }
      const action = isNew ? "create" : fields.length === 0 ? "unchanged" : "update";
      this.changes.push({ type, name: entry.name ?? entry.id ?? "", action, fields });
    }
  }
}

function placed(error: unknown, place: string): unknown {
  if (!(error instanceof Refusal)) return error;
  return new Refusal(error.code, error.message, error.field === undefined ? place : `${place}.${error.field}`);
}

async function importGroup(inside: Change, entry: GroupEntry): Promise<void> {
  const present = await findGroup(inside.tx, entry.name);
  if (present === undefined) await addGroup(inside, entry);
  else await editGroup(inside, present, entry);
}

async function importModel(inside: Change, entry: ModelEntry): Promise<void> {
  const { id, endpoints, ...rest } = entry;
  const fields = toRow(rest) as unknown as ModelFields;
  const wanted = endpoints.map((endpoint) => toRow(endpoint) as unknown as NewEndpoint);
  const byName = await findModel(inside.tx, entry.name);
  const present = (await findModel(inside.tx, id)) ?? (byName?.name === entry.name ? byName : undefined);
  if (present === undefined) await addModel(inside, { id, fields, endpoints: wanted });
  else await editModel(inside, present, { patch: fields, endpoints: wanted });
}

async function importTenant(inside: Change, entry: TenantEntry): Promise<string> {
  const { id, ...rest } = entry;
  const fields = toRow(rest) as unknown as TenantFields;
  const present = (await findTenant(inside.tx, id)) ?? (await findTenantByName(inside.tx, entry.name));
  if (present === undefined) return (await addTenant(inside, fields, id)).id;
  return (await editTenant(inside, present, fields)).id;
}

interface KeyColumns extends KeyFields {
  readonly prefix: string;
  readonly secretHash: string;
  readonly previousSecretHash: string | null;
  readonly previousSecretExpiresAt: Date | null;
  readonly rotatedAt: Date | null;
  readonly createdBy: string;
}

async function importKey(inside: Change, entry: KeyEntry, tenantId: string): Promise<void> {
  const { id, tenant_id: _tenant, ...rest } = entry;
  const columns = toRow(rest) as unknown as KeyColumns;
  const { prefix, secretHash, previousSecretHash, previousSecretExpiresAt, rotatedAt, createdBy, ...fields } = columns;
  const secrets = { prefix, secretHash, previousSecretHash, previousSecretExpiresAt, rotatedAt };
  if ((await findTenant(inside.tx, tenantId)) === undefined) {
    throw new Refusal("invalid_request", "There is no such tenant, here or in the file.", "tenant_id");
  }
  const present = await findKey(inside.tx, id);
  if (present !== undefined) {
    const [stored] = await inside.tx.select({ hash: keys.secretHash }).from(keys).where(eq(keys.id, id));
    const edited = await editKey(inside, present, fields);
    if (stored?.hash === secretHash) return;
    await inside.tx
      .update(keys)
      .set({ ...secrets, version: sql`version + 1`, updatedAt: inside.now })
      .where(eq(keys.id, id));
    const [before, after] = [{ prefix: present.prefix }, { prefix }];
    inside.audit({ action: "key.rotate", type: "key", id, name: keyTitle(edited), before, after });
    inside.touch({ kind: "key", id });
    return;
  }
  await inside.tx
    .insert(keys)
    .values({ ...fields, ...secrets, id, tenantId, createdBy, createdAt: inside.now, updatedAt: inside.now });
  const row = await findKey(inside.tx, id);
  if (row === undefined) throw new Error("a row just inserted is not there");
  const after = { ...keyAudit(row), prefix, tenant: row.tenantName };
  inside.audit({ action: "key.create", type: "key", id, name: keyTitle(row), before: null, after });
  inside.touch({ kind: "key", id });
}

/** A boost that has run out since the export, or is known already, is left alone. */
async function importBoost(inside: Change, entry: BoostEntry, tenantId: string): Promise<void> {
  const expiresAt = new Date(entry.expires_at);
  if (expiresAt <= inside.now || (await findBoost(inside.tx, entry.id)) !== undefined) return;
  const model = entry.model === null ? null : await findModelName(inside.tx, entry.model);
  if (model === undefined) throw new Refusal("invalid_request", `There is no model ${entry.model}.`, "model");
  const { id, factor, weight, reason, created_by: createdBy } = entry;
  const row = { id, tenantId, modelId: model?.id ?? null, factor, weight, reason, expiresAt, createdBy };
  await inside.tx.insert(boosts).values({ ...row, createdAt: inside.now, updatedAt: inside.now });
  const boost = await findBoost(inside.tx, id);
  if (boost === undefined) throw new Error("a row just inserted is not there");
  const after = boostAudit(boost);
  inside.audit({ action: "boost.create", type: "boost", id, name: boostTitle(boost), before: null, after });
  inside.touch({ kind: "tenant", id: tenantId }, { kind: "boost", id });
}
