/**
 * The API for commands that are one table over several resources: route and body are chosen at run time, so their types
 * cannot be followed. The gateway checks every body against the contract.
 */
import type { RouteId } from "@obleth/contract";
import type { ApiClient, CallOptions } from "@obleth/contract/client";

export type Row = Readonly<Record<string, unknown>>;

export interface LooseRequest {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Row;
  readonly body?: Row;
}

export interface LooseClient {
  call(id: RouteId, request: LooseRequest, options?: CallOptions): Promise<{ data: unknown; etag: string | null }>;
  dryRun(id: RouteId, request: LooseRequest, options?: CallOptions): Promise<{ data: DryRun }>;
}

export type DryRun = Awaited<ReturnType<ApiClient["dryRun"]>>["data"];

interface Page {
  readonly items: readonly Row[];
  readonly next_cursor: string | null;
  readonly total: number;
}

export interface Listed {
  readonly items: readonly Row[];
  /** Rows that match, listed or not. */
  readonly total: number;
}

/** Rows a list call gives at once, the most the API allows. */
const PAGE = 500;

export function loosely(api: ApiClient): LooseClient {
  return api as unknown as LooseClient;
}

/** The first `limit` rows that match, however many pages that takes. */
export async function listRows(
  client: LooseClient,
  route: RouteId,
  want: { query: Row; limit: number; params?: Readonly<Record<string, string>> },
): Promise<Listed> {
  const items: Row[] = [];
  let cursor: string | undefined;
  for (;;) {
    const query = { ...want.query, limit: Math.min(PAGE, want.limit - items.length), cursor };
    const page = (await client.call(route, { ...(want.params && { params: want.params }), query })).data as Page;
    items.push(...page.items);
    if (page.next_cursor === null || items.length >= want.limit) return { items, total: page.total };
    cursor = page.next_cursor;
  }
}

/** Every row whose name is exactly this. */
export async function rowsNamed(
  client: LooseClient,
  route: RouteId,
  want: { name: string; query?: Row },
): Promise<readonly Row[]> {
  // The search takes 200 characters, as long as a name may be, and looks inside names.
  const query = { ...want.query, q: want.name };
  const { items } = await listRows(client, route, { query, limit: Number.POSITIVE_INFINITY });
  return items.filter((row) => row.name === want.name);
}

/** Text of a field. */
export function textOf(row: Row, field: string): string {
  const value = row[field];
  return value === null || value === undefined ? "-" : String(value);
}
