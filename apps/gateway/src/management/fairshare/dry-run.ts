/** What a change answers: its result, or under `?dry_run=true` what it would do, slots included. */
import type { DryRunAnswer, PreviewChange } from "@obleth/contract";
import type { ChangeContext, Changed } from "@obleth/db";
import type { ManagementDeps } from "../deps";
import { changedReply, type Reply } from "../http/call";
import { previewOf } from "./preview";

/** A change that was made, or under a dry run tried and rolled back. */
export interface Written {
  readonly deps: ManagementDeps;
  readonly context: ChangeContext;
  readonly changed: Changed<unknown>;
  /** The changes that concern slots; none for what moves no slot. */
  readonly moves?: readonly PreviewChange[];
}

/** `reply` where the change was made; what a dry run would have done otherwise. */
export async function writtenReply({ deps, context, changed, moves = [] }: Written, reply: Reply): Promise<Reply> {
  if (context.isDryRun !== true) return changedReply(changed, reply);
  const entry = changed.entries.at(-1);
  const data: DryRunAnswer = {
    dry_run: true,
    before: entry?.before ?? null,
    after: entry?.after ?? null,
    preview: moves.length === 0 ? null : await previewOf(deps, { changes: [...moves], assume: "active" }),
  };
  return { data, status: 200 };
}
