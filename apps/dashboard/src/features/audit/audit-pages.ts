import { infiniteQueryOptions } from "@tanstack/react-query";
import { api } from "../../lib/api";
import type { AuditRow } from "../../queries/wire";

type Kind = AuditRow["object"]["type"];

export interface AuditFilter {
  readonly q?: string;
  readonly kind?: Kind;
  readonly actor?: string;
  readonly object?: string;
  readonly from?: string;
}

const PAGE = 50;
const EXPORT_PAGE = 200;
const EXPORT_PAGES = 50;
const INTERVAL_MS = 15_000;

/** Changes, newest first, a page at a time; read again while only the first page is shown. */
export function auditPagesQuery(filter: AuditFilter) {
  return infiniteQueryOptions({
    queryKey: ["audit", "pages", filter],
    queryFn: ({ pageParam, signal }) => readPage(filter, { cursor: pageParam, limit: PAGE, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : INTERVAL_MS),
  });
}

/** Every change that matches, at most 10,000. */
export async function readAllChanges(filter: AuditFilter): Promise<AuditRow[]> {
  const rows: AuditRow[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < EXPORT_PAGES; page += 1) {
    const answer: Awaited<ReturnType<typeof readPage>> = await readPage(filter, { cursor, limit: EXPORT_PAGE });
    rows.push(...answer.items);
    cursor = answer.next_cursor;
    if (cursor === null) break;
  }
  return rows;
}

interface PageAsked {
  readonly cursor: string | null;
  readonly limit: number;
  readonly signal?: AbortSignal;
}

async function readPage(filter: AuditFilter, { cursor, limit, signal }: PageAsked) {
  const query = { ...filter, limit, ...(cursor === null ? {} : { cursor }) };
  return (await api.call("listAudit", { query }, signal === undefined ? {} : { signal })).data;
}
