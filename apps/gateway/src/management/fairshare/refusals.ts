/** Why a tenant was refused in the last hour, in words that say what to look at. */
import { type Refusals, readRefusals, type Tx } from "@obleth/db";
import type { ExplainContext } from "@obleth/fairshare/explain";

const HOUR_MS = 3_600_000;
/** One that is not an id of ours has no rows. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What the usage of the whole fleet says; null when nothing was refused. */
export async function refusedLately(
  db: Tx,
  asked: { readonly tenantId: string; readonly model: string; readonly nowMs: number },
): Promise<ExplainContext["refused"]> {
  if (!UUID.test(asked.tenantId)) return null;
  return refusedOf(await readRefusals(db, { ...asked, sinceMs: asked.nowMs - HOUR_MS }));
}

/** `refusals`: commonest first. */
export function refusedOf(refusals: readonly Refusals[]): ExplainContext["refused"] {
  const [commonest] = refusals;
  if (commonest === undefined) return null;
  const requests = refusals.reduce((sum, one) => sum + one.requests, 0);
  const cause = causeOf(commonest.statusCode);
  return { requests, cause: commonest.requests === requests ? cause : `mostly because ${cause}` };
}

function causeOf(status: number): string {
  switch (status) {
    case 403:
      return "the tenant, its key or the model is switched off or not allowed, or a budget for the term is used up";
    case 429:
      return "the tokens per minute were used up";
    case 503:
      return "there was no server, no room in the queue, or budgets could not be checked";
    default:
      return status < 500 ? `the request could not be understood (status ${status})` : `the gateway failed (${status})`;
  }
}
