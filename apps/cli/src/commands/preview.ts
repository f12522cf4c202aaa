/** `obleth preview`: what a change of weights, caps or sizes would do to everybody's slots. Writes nothing. */
import { PREVIEW_KINDS, type PreviewBody, type PreviewChange } from "@obleth/contract";
import type { Command } from "commander";
import { usageError } from "../failure";
import { previewLines } from "../output/preview-lines";
import { keyId, tenantId } from "../resources/find";
import type { Session } from "../session";

type Kind = PreviewChange["kind"];

const ABOUT: Readonly<Record<Kind, readonly [value: string, text: string]>> = {
  group_weight: ["group=weight", "another weight for a group"],
  tenant_weight: ["tenant=weight", "another weight for a tenant"],
  tenant_cap: ["tenant=slots", "another cap for a tenant in every pool; none removes it"],
  tenant_model_cap: ["tenant=slots", "another cap for a tenant in the pool of --model"],
  key_weight: ["key=weight", "another weight for a key, by id or name"],
  key_cap: ["key=slots", "another cap for a key, by id or name; none removes it"],
  pool_size: ["model=slots", "another size for a pool"],
  tenant_group: ["tenant=group", "another group for a tenant"],
  admission_weight: ["model=percent", "another admission weight for a model"],
  boost: ["tenant=factor", "a boost for a tenant, in every pool or in that of --model"],
};

export interface Draft {
  readonly kind: Kind;
  /** As typed: a name or an id. */
  readonly id: string;
  readonly value: number | string | null;
}

export function addPreview(program: Command, session: Session): void {
  const drafts: Draft[] = [];
  const preview = program
    .command("preview")
    .description("show what changes would do to everybody's slots; writes nothing")
    .option("--pool <name>", "only this pool; every pool the changes touch when left out")
    .option("--model <name>", "the pool of --tenant-model-cap, or of --boost")
    .option("--everyone", "as if every tenant had work, not only those that do");
  for (const kind of PREVIEW_KINDS) {
    const [value, text] = ABOUT[kind];
    preview.option(`--${kind.replaceAll("_", "-")} <${value}>`, text, (given: string) => {
      drafts.push(readDraft(kind, given));
    });
  }
  preview.action(async (options: { pool?: string; model?: string; everyone?: boolean }) => {
    if (drafts.length === 0) {
      throw usageError("Say what would change.", "For example: obleth preview --tenant-weight nightly=120");
    }
    const changes: PreviewChange[] = [];
    for (const draft of drafts) changes.push(await resolved(session, draft, options.model));
    const body: PreviewBody = {
      changes,
      assume: options.everyone === true ? "all" : "active",
      ...(options.pool === undefined ? {} : { pool: options.pool }),
    };
    const { data } = await session.api.call("previewFairshare", { body });
    session.show(data, () => previewLines(data, session.terminal.width));
  });
}

/** Splits at the last `=`, since values have none and names may. */
export function readDraft(kind: Kind, text: string): Draft {
  const option = `--${kind.replaceAll("_", "-")}`;
  const at = text.lastIndexOf("=");
  const id = text.slice(0, Math.max(0, at));
  const value = text.slice(at + 1);
  if (id === "" || value === "") throw usageError(`${option} takes ${ABOUT[kind][0]}, not "${text}".`);
  if (kind === "tenant_group") return { kind, id, value };
  if (value === "none" && kind.endsWith("_cap")) return { kind, id, value: null };
  if (!/^\d+(\.\d+)?$/.test(value)) throw usageError(`${option} takes a number after the =, not "${value}".`);
  return { kind, id, value: Number(value) };
}

async function resolved(session: Session, { kind, id, value }: Draft, model?: string): Promise<PreviewChange> {
  const inPool = (kind === "tenant_model_cap" || kind === "boost") && model !== undefined ? { model } : {};
  if (kind === "tenant_model_cap" && model === undefined) {
    throw usageError("Say for which model with --model.");
  }
  if (kind.startsWith("key_")) return { kind, id: await keyId(session, id), value };
  if (kind.startsWith("tenant_") || kind === "boost")
    return { kind, id: await tenantId(session, id), value, ...inPool };
  return { kind, id, value };
}
