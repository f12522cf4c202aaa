/**
 * What a page shows first, read while the page is made, so that a reader does not wait for scripts to load and ask. A
 * gateway that does not answer at once delays no page: the browser then asks, as for everything that comes later.
 */
import type { FirstAnswers } from "../queries/first-answers";
import type { Live, Overview } from "../queries/wire";
import { callManagementJson } from "./management";

const PATIENCE_MS = 500;

/** The live state to read for an address: one pool in full, the summary of all, or none. */
export function firstView(
  requested: string | null,
): { readonly pool: string | null; readonly isOverview: boolean } | null {
  if (requested === null || !requested.startsWith("/")) return null;
  const { pathname, searchParams } = new URL(requested, "http://dashboard.invalid");
  if (pathname === "/") return { pool: null, isOverview: true };
  return pathname === "/fairshare" ? { pool: searchParams.get("pool") || null, isOverview: false } : null;
}

/** What the page at an address shows first; parts that did not come in time are null. */
export async function firstAnswers(token: string, requested: string | null): Promise<FirstAnswers> {
  const view = firstView(requested);
  if (view === null) return { live: null, overview: null };
  const query = view.pool === null ? "fields=summary" : `pool=${encodeURIComponent(view.pool)}`;
  const [live, overview] = await Promise.all([
    read(token, `/fairshare/live?${query}`),
    view.isOverview ? read(token, "/overview") : null,
  ]);
  return {
    live: live && { pool: view.pool, state: live.body as Live, etag: live.etag, dateMs: live.dateMs },
    overview: overview && (overview.body as Overview),
  };
}

async function read(token: string, path: string) {
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const { status, body, headers } = await callManagementJson({ method: "GET", path, token, signal });
    if (status !== 200 || body === null) return null;
    return { body, etag: headers.etag ?? null, dateMs: Date.parse(headers.date ?? "") || null };
  } catch {
    return null;
  }
}
