/** `obleth tenants|keys|models|groups|boosts list|get|create|set|delete`, one set of commands over the table of resources. */
import { type Command, InvalidArgumentError } from "commander";
import { CommandError, usageError } from "../failure";
import { readAssignments, readDuration } from "../fields";
import { visible } from "../output/plain-text";
import { fieldLines, tableLines } from "../output/table";
import { findOne, tenantId, titleOf } from "../resources/find";
import { type LooseRequest, listRows, loosely, type Row } from "../resources/loose-client";
import type { Resource } from "../resources/resources";
import type { Session } from "../session";
import { dryRunLines } from "./dry-run-lines";

interface Options {
  readonly set?: readonly string[];
  readonly filter?: readonly string[];
  readonly search?: string;
  readonly sort?: string;
  readonly desc?: boolean;
  readonly limit: number;
  readonly tenant?: string;
  readonly model?: string;
  readonly factor?: string;
  readonly weight?: string;
  readonly reason?: string;
  readonly for?: string;
  readonly ifVersion?: number;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly overlap?: string;
}

const MOST_LISTED = 1000;
const collect = (value: string, earlier: readonly string[] = []) => [...earlier, value];
const SET = ["--set <name=value>", "a field; JSON values allowed; may be repeated"] as const;

export function addResource(program: Command, session: Session, resource: Resource): void {
  const { plural, singular } = resource;
  const group = program.command(plural).description(`list, read and change ${plural}`);
  addList(group, session, resource);
  addGet(group, session, resource);
  addCreate(group, session, resource);
  if (resource.update !== null) addSet(group, session, resource);
  if (plural === "keys") addRotate(group, session, resource);
  const remove = group
    .command("delete")
    .description(resource.hasName ? `delete a ${singular}; asks for its name` : `end a ${singular}; asks first`)
    .argument(resource.hasName ? "<name>" : "<id>", "which one, by name or id")
    .option("-y, --yes", "do not ask")
    .option("--dry-run", "show what it would do")
    .option("--if-version <n>", "only if nobody has changed it since this version", wholeNumber)
    .action((ref: string, options: Options) => removeOne(session, resource, { ref, options }));
  withTenant(remove, resource);
}

function addList(group: Command, session: Session, resource: Resource): void {
  const list = group
    .command("list")
    .alias("ls")
    .description(`list ${resource.plural}`)
    .option("--filter <name=value>", `${filterNames(resource).join(", ")}; may be repeated`, collect)
    .option("--sort <field>", "what to sort by")
    .option("--desc", "largest or newest first")
    .option("--limit <n>", "most rows to list", wholeNumber, MOST_LISTED)
    .action((options: Options) => listAll(session, resource, options));
  if ("q" in resource.filters) list.option("-q, --search <text>", "only those with this text in them");
  withTenant(list, resource);
}

function addGet(group: Command, session: Session, resource: Resource): void {
  const get = group
    .command("get")
    .description(`read a ${resource.singular}`)
    .argument(resource.hasName ? "<name>" : "<id>", "which one, by name or id")
    .action(async (ref: string, options: Options) => {
      const { row } = await findOne(session, resource, { ref, tenant: options.tenant });
      session.show(row, () => fieldLines(row));
    });
  withTenant(get, resource);
}

function addCreate(group: Command, session: Session, resource: Resource): void {
  const create = group
    .command("create")
    .description(resource.plural === "keys" ? "make a key and show its secret, once" : `make a ${resource.singular}`)
    .option(...SET, collect)
    .option("--dry-run", "check it and show what would move; write nothing");
  if (resource.hasName) create.argument("<name>", "its name");
  if (!resource.hasName) {
    create
      .option("--model <name>", "only in this model's pool")
      .option("--factor <n>", "what the tenant's weight is multiplied by, 0.1 to 100")
      .option("--weight <n>", "the weight itself, instead of a factor")
      .option("--reason <text>", "why, for the audit log")
      .option("--for <time>", "how long, such as 30m or 2h; at most 24h");
  }
  withTenant(create, resource);
  create.action(async (first: string | Options, second: Options | Command) => {
    const name = typeof first === "string" ? first : undefined;
    await createOne(session, resource, { name, options: (name === undefined ? first : second) as Options });
  });
}

function addSet(group: Command, session: Session, resource: Resource): void {
  const set = group
    .command("set")
    .description(`change a ${resource.singular}`)
    .argument("<name>", "which one, by name or id")
    .argument("[fields...]", "fields as name=value, the same as --set")
    .option(...SET, collect)
    .option("--dry-run", "check it and show what would move; write nothing")
    .option("--if-version <n>", "only if nobody has changed it since this version", wholeNumber)
    .action((ref: string, fields: string[], options: Options) => setOne(session, resource, { ref, fields, options }));
  withTenant(set, resource);
}

function addRotate(group: Command, session: Session, resource: Resource): void {
  const rotate = group
    .command("rotate")
    .description("give a key a new secret and show it, once")
    .argument("<name>", "which one, by name or id")
    .option("--overlap <time>", "how long the old secret goes on working, such as 1h; at most 7d", "0")
    .action(async (ref: string, options: Options) => {
      const { ref: id } = await findOne(session, resource, { ref, tenant: options.tenant });
      const { overlap = "0" } = options;
      const overlapSecs = overlap === "0" ? 0 : Math.round(readDuration(overlap, "--overlap") / 1000);
      const { data } = await session.api.call("rotateKey", { params: { id }, body: { overlap_secs: overlapSecs } });
      showSecret(session, data);
    });
  withTenant(rotate, resource);
}

function withTenant(command: Command, resource: Resource): void {
  if (resource.isOfTenant) command.option("--tenant <name>", "the tenant it belongs to, by name or id");
}

async function listAll(session: Session, resource: Resource, options: Options): Promise<void> {
  const query: Record<string, unknown> = {
    ...readAssignments(options.filter ?? [], { fields: resource.filters, option: "--filter" }),
    q: options.search,
    sort: options.sort,
    dir: options.desc === true ? "desc" : undefined,
  };
  if (options.tenant !== undefined) query.tenant_id = await tenantId(session, options.tenant);
  const { items, total } = await listRows(loosely(session.api), resource.list, { query, limit: options.limit });
  session.show({ items, total }, () =>
    items.length === 0
      ? [`There are no ${resource.plural} like that.`]
      : tableLines(items, resource.columns, session.terminal.width),
  );
  const left = total - items.length;
  if (left > 0) session.terminal.remark(`${left} more; --limit ${total} lists them all.`);
}

async function createOne(
  session: Session,
  resource: Resource,
  { name, options }: { name: string | undefined; options: Options },
): Promise<void> {
  const request = await createRequest(session, resource, { name, options });
  const client = loosely(session.api);
  if (options.dryRun === true) {
    const { data } = await client.dryRun(resource.create, request);
    session.show(data, () => dryRunLines(data, session.terminal.width));
    return;
  }
  const { data } = await client.call(resource.create, request);
  if (resource.plural === "keys") return showSecret(session, data as SecretAnswer);
  const row = data as Row;
  session.show(row, () => [`Made ${visible(titleOf(resource, row))}.`, ...fieldLines(row)]);
}

async function createRequest(
  session: Session,
  resource: Resource,
  { name, options }: { name: string | undefined; options: Options },
): Promise<LooseRequest> {
  const fields = [...(options.set ?? [])];
  if (name !== undefined) fields.push(`name=${name}`);
  for (const field of ["model", "factor", "weight", "reason"] as const) {
    const value = options[field];
    if (value !== undefined) fields.push(`${field}=${value}`);
  }
  const body = readAssignments(fields, { fields: resource.createFields, option: "--set" });
  if (options.for !== undefined) {
    body.expires_at = new Date(Date.now() + readDuration(options.for, "--for")).toISOString();
  }
  if (!resource.isOfTenant) return { body };
  if (options.tenant === undefined && body.tenant_id === undefined) {
    throw usageError(`Say whose ${resource.singular} it is with --tenant.`);
  }
  const owner = options.tenant === undefined ? String(body.tenant_id) : await tenantId(session, options.tenant);
  return resource.plural === "keys" ? { params: { id: owner }, body } : { body: { ...body, tenant_id: owner } };
}

async function setOne(
  session: Session,
  resource: Resource,
  { ref, fields, options }: { ref: string; fields: readonly string[]; options: Options },
): Promise<void> {
  const body = readAssignments([...fields, ...(options.set ?? [])], { fields: resource.updateFields, option: "--set" });
  if (Object.keys(body).length === 0 || resource.update === null) {
    const known = Object.keys(resource.updateFields).join(", ");
    throw usageError("Say what to change, such as weight=50.", `Fields: ${known}.`);
  }
  const before = await findOne(session, resource, { ref, tenant: options.tenant });
  const request = { params: { [resource.param]: before.ref }, body };
  const call = matching(options);
  const client = loosely(session.api);
  if (options.dryRun === true) {
    const { data } = await client.dryRun(resource.update, request, call);
    session.show(data, () => dryRunLines(data, session.terminal.width));
    return;
  }
  const row = (await client.call(resource.update, request, call)).data as Row;
  session.show(row, () => {
    const changed = Object.keys(body).filter((name) => JSON.stringify(before.row[name]) !== JSON.stringify(row[name]));
    if (changed.length === 0) return [`${visible(before.title)} was like that already.`];
    const width = Math.max(...changed.map((name) => name.length));
    const lines = changed.map((name) => `  ${name.padEnd(width)}  ${shown(before.row[name])} -> ${shown(row[name])}`);
    return [`Changed ${visible(before.title)}:`, ...lines];
  });
}

async function removeOne(
  session: Session,
  resource: Resource,
  { ref, options }: { ref: string; options: Options },
): Promise<void> {
  const { ref: id, title, row } = await findOne(session, resource, { ref, tenant: options.tenant });
  const request = { params: { [resource.param]: id } };
  const client = loosely(session.api);
  if (options.dryRun === true) {
    const { data } = await client.dryRun(resource.remove, request, matching(options));
    session.show(data, () => dryRunLines(data, session.terminal.width));
    return;
  }
  if (options.yes !== true) {
    const word = resource.hasName ? String(row.name) : "yes";
    session.terminal.remark(visible(`Deleting ${title}: ${resource.loss}.`));
    const typed = await session.terminal.ask(visible(`Type ${word} to go on:`), "--yes");
    if (typed !== word) throw new CommandError("That is not it; nothing was deleted.");
  }
  await client.call(resource.remove, request, matching(options));
  session.show({ deleted: id }, () => [visible(resource.hasName ? `Deleted ${title}.` : `Ended the ${title}.`)]);
}

type SecretAnswer = {
  readonly key: { readonly id: string; readonly name: string; readonly tenant_name: string };
  readonly secret: string;
};

function showSecret(session: Session, answer: SecretAnswer): void {
  session.show(answer, () => [answer.secret]);
  if (session.isJson) return;
  const { name, tenant_name: tenant } = answer.key;
  session.terminal.remark(
    `The secret of key ${visible(name)} of ${visible(tenant)}. It is not shown again: keep it now.`,
  );
}

function matching({ ifVersion }: Options): { ifMatch?: string } {
  return ifVersion === undefined ? {} : { ifMatch: `"${ifVersion}"` };
}

function shown(value: unknown): string {
  return visible(JSON.stringify(value ?? null));
}

function filterNames({ filters }: Resource): string[] {
  return Object.keys(filters).filter((name) => !["limit", "cursor", "dir", "sort", "q"].includes(name));
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) === 0) throw new InvalidArgumentError("It takes a whole number from 1.");
  return Number(text);
}
