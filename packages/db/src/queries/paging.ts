/** Pages of a list by key set: stable while rows come and go, and as quick on the last page as on the first. */
import { type SQL, sql } from "drizzle-orm";

export interface PageRequest {
  /** Rows wanted, from 1. */
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly dir: "asc" | "desc";
}

export interface Page<Row> {
  readonly items: Row[];
  readonly nextCursor: string | null;
  /** Rows that match, over all pages. */
  readonly total: number;
}

export interface SortKey {
  readonly expression: SQL;
  readonly type: "text" | "bigint" | "timestamptz";
}

/** A cursor that no list of ours gave, or that belongs to another sort order. */
export class BadCursorError extends Error {
  override readonly name = "BadCursorError";
  readonly code = "bad_cursor";
}

export interface KeySet {
  /** True for rows after the cursor; undefined on the first page. */
  readonly after: SQL | undefined;
  readonly orderBy: SQL;
  /** Select it as `sortKey`, for the next cursor. */
  readonly sortKey: SQL<string>;
}

/** Order by `sort`, then by id, and start after the cursor. Throws `BadCursorError`. */
export function keySet(sort: SortKey, id: SQL, request: PageRequest): KeySet {
  const direction = sql.raw(request.dir);
  const comparison = sql.raw(request.dir === "asc" ? ">" : "<");
  const type = sql.raw(sort.type);
  const cursor = request.cursor === undefined ? undefined : readCursor(request.cursor, sort.type);
  return {
    after: cursor && sql`(${sort.expression}, ${id}) ${comparison} (${cursor.value}::${type}, ${cursor.id}::uuid)`,
    orderBy: sql`${sort.expression} ${direction}, ${id} ${direction}`,
    sortKey: sql<string>`(${sort.expression})::text`,
  };
}

/** Cuts the one row too many that tells whether there is another page. */
export function toPage<Row extends { id: string; sortKey: string }>(
  rows: readonly Row[],
  request: PageRequest,
  total: number,
): Page<Omit<Row, "sortKey">> {
  const items = rows.slice(0, request.limit);
  const last = items.at(-1);
  const hasMore = rows.length > request.limit && last !== undefined;
  return {
    items: items.map(({ sortKey: _, ...row }) => row),
    nextCursor: hasMore ? writeCursor(last.sortKey, last.id) : null,
    total,
  };
}

export function writeCursor(value: string, id: string): string {
  return Buffer.from(JSON.stringify([value, id])).toString("base64url");
}

function readCursor(cursor: string, type: SortKey["type"]): { value: string; id: string } {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    if (Array.isArray(parsed) && parsed.length === 2) {
      const [value, id] = parsed as unknown[];
      if (typeof value === "string" && typeof id === "string" && UUID.test(id) && VALUES[type].test(value)) {
        return { value, id };
      }
    }
  } catch {
    // Not ours.
  }
  throw new BadCursorError("is not a cursor of this list");
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const VALUES = {
  text: /^[^\p{Cs}\0]*$/u,
  bigint: /^-?\d{1,18}$/,
  timestamptz: /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(\.\d{1,6})?\+00$/,
} as const;

/** `%` and `_` in a search text mean themselves. */
export function contains(column: SQL, text: string | undefined): SQL | undefined {
  if (text === undefined) return undefined;
  return sql`position(lower(${text}) in lower(${column})) > 0`;
}
