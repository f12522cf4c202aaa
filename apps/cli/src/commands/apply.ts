/**
 * `obleth apply -f`: makes the configuration what a file says. Everything but credentials and new keys goes in one call,
 * all or nothing, and only when the configuration is still the one the plan was made of.
 */
import { CONFIG_FORMAT, type ConfigFile } from "@obleth/contract";
import { ApiError } from "@obleth/contract/client";
import type { Command } from "commander";
import { type Completed, complete, type EntryKind } from "../configuration/complete";
import { planLines, planOf, slotChanges } from "../configuration/plan";
import { parseConfiguration, readConfigurationFile } from "../configuration/read-file";
import { CommandError, EXIT, usageError } from "../failure";
import { visible } from "../output/plain-text";
import { previewLines } from "../output/preview-lines";
import { loosely } from "../resources/loose-client";
import type { Session } from "../session";

interface Options {
  readonly file: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly withCredentials?: boolean;
}

/** Most changes one preview takes. */
const MOST_PREVIEWED = 200;

export function addApply(program: Command, session: Session): void {
  program
    .command("apply")
    .description("make the configuration what a file says, after showing the plan")
    .requiredOption("-f, --file <file>", "YAML or JSON, by hand or from obleth export; - reads standard input")
    .option("--dry-run", "show the plan, write nothing")
    .option("-y, --yes", "do not ask")
    .option("--with-credentials", "write the file's credentials again where one is stored")
    .action((options: Options) => apply(session, options));
}

async function apply(session: Session, options: Options): Promise<void> {
  if (options.file === "-" && options.yes !== true && options.dryRun !== true) {
    throw usageError("With the file on standard input nobody can be asked.", "Say it with --yes or --dry-run.");
  }
  const given = parseConfiguration(readConfigurationFile(options.file));
  const { file: current } = await currentConfiguration(session);
  const completed = complete(given, current, {
    withCredentials: options.withCredentials === true,
    variable: session.environment.variable,
  });
  const plan = planOf(completed);
  const body = importBody(completed);
  await session.api.call("importConfig", { query: { dry_run: true }, body });
  const preview = await previewOf(session, completed);
  const isWritten = options.dryRun !== true && plan.changes.length > 0;
  const { terminal } = session;
  if (!session.isJson) {
    terminal.print(...planLines(plan));
    if (preview !== null) terminal.print("", ...previewLines(preview, terminal.width));
  }
  if (isWritten) {
    await agree(session, options);
    await write(session, current, body);
  }
  const secrets = isWritten ? await writeRest(session, completed) : [];
  if (session.isJson)
    session.show({ dry_run: options.dryRun === true, applied: isWritten, ...plan, preview, keys: secrets }, () => []);
  else if (isWritten) terminal.print("", "Applied.");
}

async function currentConfiguration(session: Session): Promise<{ file: ConfigFile; etag: string | null }> {
  const { data, etag } = await session.api.call("exportConfig", {});
  const { exported_at: _at, ...file } = data;
  return { file, etag };
}

/** The gateway checks every field, whatever the file made of it. */
function importBody({ entries, ceiling }: Completed): ConfigFile {
  const of = (kind: EntryKind) => entries.filter((entry) => entry.kind === kind).map(({ after }) => after);
  return {
    format: CONFIG_FORMAT,
    groups: of("group"),
    models: of("model"),
    tenants: of("tenant"),
    keys: of("key"),
    boosts: of("boost"),
    global_max_in_flight: ceiling.after,
  } as unknown as ConfigFile;
}

/** Null where no slot is concerned, or the split cannot be told before the change, as for a group yet to be made. */
async function previewOf(session: Session, { entries }: Completed) {
  const changes = slotChanges(entries);
  if (changes.length === 0 || changes.length > MOST_PREVIEWED) return null;
  try {
    return (await session.api.call("previewFairshare", { body: { changes } })).data;
  } catch (error) {
    if (error instanceof ApiError && error.status >= 400 && error.status < 500) return null;
    throw error;
  }
}

async function agree(session: Session, options: Options): Promise<void> {
  if (options.yes === true) return;
  const answer = await session.terminal.ask("Apply this? Type yes to go on:", "--yes, after a look with --dry-run");
  if (answer !== "yes") throw new CommandError("Nothing was changed.");
}

/**
 * An import replaces whole objects: somebody's edit since the plan would be lost unseen. What the plan does not show (a
 * person, an ended boost) may have changed; from this look on, nothing.
 */
async function write(session: Session, planned: ConfigFile, body: ConfigFile): Promise<void> {
  const { file, etag } = await currentConfiguration(session);
  if (JSON.stringify(file) !== JSON.stringify(planned)) throw changedMeanwhile();
  try {
    await session.api.call("importConfig", { body }, etag === null ? {} : { ifMatch: etag });
  } catch (error) {
    throw error instanceof ApiError && error.code === "stale_edit" ? changedMeanwhile() : error;
  }
}

function changedMeanwhile(): CommandError {
  const message = "The configuration was changed by somebody else since the plan was made; nothing was applied.";
  return new CommandError(message, {
    exitCode: EXIT.conflict,
    hint: "Run it again to see the plan as it is by now.",
    code: "stale_edit",
  });
}

interface MadeKey {
  readonly tenant: string;
  readonly name: string;
  readonly secret: string;
}

/** Credentials and new keys. Each is tried, so that one refusal does not keep the secrets of the others from being told. */
async function writeRest(session: Session, { credentials, newKeys }: Completed): Promise<MadeKey[]> {
  const client = loosely(session.api);
  const made: MadeKey[] = [];
  const failed: string[] = [];
  const attempt = async (what: string, run: () => Promise<void>) => {
    try {
      await run();
    } catch (error) {
      failed.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  for (const { model, modelId, endpoint, endpointId, body } of credentials) {
    await attempt(`credential of ${endpoint} of ${model}`, async () => {
      await client.call("updateEndpoint", { params: { id: modelId, eid: endpointId }, body });
    });
  }
  for (const { tenantId, tenantName, body } of newKeys) {
    await attempt(`key ${String(body.name)} of ${tenantName}`, async () => {
      const { secret } = (await client.call("createKey", { params: { id: tenantId }, body })).data as {
        secret: string;
      };
      made.push({ tenant: tenantName, name: String(body.name), secret });
      if (session.isJson) return;
      session.terminal.print(
        visible(`Secret of key ${String(body.name)} of ${tenantName}, shown this once: ${secret}`),
      );
    });
  }
  if (failed.length > 0) {
    const message = `The rest was applied, but not:\n${failed.join("\n")}`;
    if (session.isJson && made.length > 0) session.show({ applied: true, keys: made }, () => []);
    throw new CommandError(message, { hint: "Run it again once the cause is gone." });
  }
  return made;
}
