/**
 * What a page shows first, read while the page is made, so that a reader does not wait for scripts to load and ask. A
 * gateway that does not answer at once delays no page: the browser then asks, as for everything that comes later.
 */
import { shownChanges } from "../features/overview/logic/shown-changes";
import type { FirstAnswers } from "../queries/first-answers";
import type { AuditRow, FairshareHistory, Live, Overview } from "../queries/wire";
import { factsOf, historyQuery, spanOf } from "./first-history";
import { callManagementJson } from "./management";

const PATIENCE_MS = 500;
const BASE = "http://dashboard.invalid";
const NOTHING: FirstAnswers = { live: null, overview: null, history: null, changes: null, boosts: null };

interface FirstView {
  /** The pool to read in full; null for the summary of all. */
  readonly pool: string | null;
  readonly isOverview: boolean;
  /** How far back the history goes that is told of, as the address says it; null where none is shown. */
  readonly range: string | null;
}

/** The live state to read for an address: one pool in full, the summary of all, or none. */
export function firstView(requested: string | null): FirstView | null {
  if (!requested?.startsWith("/") || !URL.canParse(requested, BASE)) return null;
  const { pathname, searchParams } = new URL(requested, BASE);
  const range = searchParams.get("range");
  if (pathname === "/") return { pool: null, isOverview: true, range: range ?? "1h" };
  if (pathname !== "/fairshare") return null;
  const pool = searchParams.get("pool") || null;
  return { pool, isOverview: false, range: pool === null ? null : (range ?? "15m") };
}

/** What the page at an address shows first; parts that did not come in time are null. */
export async function firstAnswers(token: string, requested: string | null): Promise<FirstAnswers> {
  const view = firstView(requested);
  if (view === null) return NOTHING;
  const { pool } = view;
  const query = pool === null ? "fields=summary" : `pool=${encodeURIComponent(pool)}`;
  const [live, history, more] = await Promise.all([
    read<Live>(token, `/fairshare/live?${query}`),
    readHistory(token, view),
    view.isOverview ? readMore(token) : {},
  ]);
  return {
    ...NOTHING,
    ...more,
    history,
    live: live && { pool, state: live.body, etag: live.etag, dateMs: live.dateMs },
  };
}

/** What the overview shows beside the live state. */
async function readMore(token: string): Promise<Pick<FirstAnswers, "overview" | "changes" | "boosts">> {
  const [overview, changes, boosts] = await Promise.all([
    read<Overview>(token, "/overview"),
    read<{ items: AuditRow[] }>(token, "/audit?limit=50"),
    read<NonNullable<FirstAnswers["boosts"]>>(token, "/boosts?state=active&limit=200"),
  ]);
  return {
    overview: overview?.body ?? null,
    changes: changes && shownChanges(changes.body.items),
    boosts: boosts?.body ?? null,
  };
}

async function readHistory(token: string, { pool, range }: FirstView): Promise<FirstAnswers["history"]> {
  const spanMs = range === null ? null : spanOf(range);
  if (range === null || spanMs === null) return null;
  const answer = await read<FairshareHistory>(token, `/fairshare/history?${historyQuery(pool, spanMs)}`);
  if (answer === null) return null;
  return { pool, range, facts: factsOf(answer.body, { spanMs, nowMs: answer.dateMs ?? Date.now() }) };
}

async function read<Body>(token: string, path: string) {
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const { status, body, headers } = await callManagementJson({ method: "GET", path, token, signal });
    if (status !== 200 || body === null) return null;
    return { body: body as Body, etag: headers.etag ?? null, dateMs: Date.parse(headers.date ?? "") || null };
  } catch {
    return null;
  }
}
