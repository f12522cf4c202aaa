/** Answers to requests that carry an `Idempotency-Key`, kept a day, so that a retry does not make a second object. */
import { createHash } from "node:crypto";
import { and, eq, lt } from "drizzle-orm";
import { idempotencyKeys } from "../schema";
import type { Change } from "./change";
import { Refusal } from "./refusal";

const KEPT_MS = 24 * 3_600_000;

export interface Repeatable {
  /** Who asks and for what; the same key of another caller is another key. */
  readonly scope: string;
  readonly key: string;
  /** The request in one text; a repeat must be the same. */
  readonly body: string;
  /** The answer, sealed: it may hold a secret. */
  readonly answerSealed: string;
}

/**
 * The answer given to the same request before, undefined when there was none. Refuses another request under the same
 * key. Forgets what is older than a day on the way.
 */
export async function recallAnswer(
  inside: Change,
  request: Repeatable,
): Promise<{ objectId: string; answerSealed: string } | undefined> {
  await inside.tx
    .delete(idempotencyKeys)
    .where(lt(idempotencyKeys.createdAt, new Date(inside.now.getTime() - KEPT_MS)));
  const [row] = await inside.tx
    .select()
    .from(idempotencyKeys)
    .where(and(eq(idempotencyKeys.scope, request.scope), eq(idempotencyKeys.keyHash, hash(request.key))));
  if (row === undefined) return undefined;
  if (row.bodyHash !== hash(request.body)) {
    throw new Refusal("idempotency_mismatch", "This Idempotency-Key was used for another request.");
  }
  const split = row.answerSealed.indexOf(" ");
  return { objectId: row.answerSealed.slice(0, split), answerSealed: row.answerSealed.slice(split + 1) };
}

/** Keeps an answer with the change that it answers, so that neither is there without the other. */
export async function rememberAnswer(inside: Change, request: Repeatable & { objectId: string }): Promise<void> {
  await inside.tx.insert(idempotencyKeys).values({
    scope: request.scope,
    keyHash: hash(request.key),
    bodyHash: hash(request.body),
    answerSealed: `${request.objectId} ${request.answerSealed}`,
    createdAt: inside.now,
  });
}

const hash = (text: string) => createHash("sha256").update(text).digest("hex");
