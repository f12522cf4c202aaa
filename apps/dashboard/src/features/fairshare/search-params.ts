import { createParser, parseAsArrayOf, parseAsString, parseAsStringLiteral } from "nuqs";
import { nameInAddress } from "../../lib/name-in-address";
import { FILTER_STATES } from "../../lib/pool-state";
import { POOL_SORTS } from "./logic/pool-sort";

/** A name; what can be none reads as absent. */
export const parseAsName = createParser({
  parse: nameInAddress,
  serialize: (value: string) => value,
});

/** A moment in milliseconds; what is no time of any day reads as absent. */
export const parseAsMoment = createParser({
  parse: (text: string) =>
    /^-?\d+$/.test(text) && !Number.isNaN(new Date(Number(text)).getTime()) ? Number(text) : null,
  serialize: String,
});

/** The address of the pool list. Filters replace the history entry, so Back leaves the page as expected. */
export const listParams = {
  q: parseAsString.withDefault("").withOptions({ history: "replace", throttleMs: 200 }),
  state: parseAsArrayOf(parseAsStringLiteral(FILTER_STATES)).withDefault([]).withOptions({ history: "replace" }),
  sort: parseAsStringLiteral(POOL_SORTS).withDefault("fullest").withOptions({ history: "replace" }),
  dir: parseAsStringLiteral(["asc", "desc"]).withOptions({ history: "replace" }),
  group: parseAsName.withOptions({ history: "replace" }),
};

export const HISTORY_RANGES = ["15m", "1h", "custom"] as const;
export type HistoryRange = (typeof HISTORY_RANGES)[number];

/** The address of one pool. */
export const poolParams = {
  pool: parseAsName.withOptions({ history: "push", scroll: true }),
  tenant: parseAsName.withOptions({ history: "push" }),
  group: parseAsName.withOptions({ history: "replace" }),
  view: parseAsStringLiteral(["lanes", "strip"]).withDefault("lanes").withOptions({ history: "replace" }),
  range: parseAsStringLiteral(HISTORY_RANGES).withDefault("15m").withOptions({ history: "replace" }),
  from: parseAsMoment.withOptions({ history: "replace" }),
  to: parseAsMoment.withOptions({ history: "replace" }),
  expand: parseAsArrayOf(parseAsString).withDefault([]).withOptions({ history: "replace" }),
};

/** The link to a pool, to a tenant in it, or to one group of it. */
export function poolHref(pool: string, within: { tenant?: string; group?: string | null } = {}): string {
  const search = new URLSearchParams({ pool });
  if (within.tenant !== undefined) search.set("tenant", within.tenant);
  if (within.group) search.set("group", within.group);
  return `/fairshare?${search.toString()}`;
}
