/** What a change answers: its result, or under `?dry_run=true` what it would do, slots included. */
import type { DryRunAnswer, PreviewChange } from "@obleth/contract";
import type { ChangeContext, Changed } from "@obleth/db";
import type { ManagementDeps } from "../deps";
import { changedReply, type Reply } from "../http/call";
import { previewOf } from "./preview";

/** `moves` are the changes that concern slots; none for what moves no slot. */
export async function writtenReply(
  deps: ManagementDeps,
  context: ChangeContext,
  changed: Changed<unknown>,
  reply: Reply,
  moves: readonly PreviewChange[] = [],
): Promise<Reply> {
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
