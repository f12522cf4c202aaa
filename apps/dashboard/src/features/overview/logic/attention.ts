/** What needs attention, in words: state, object, cause, and the one place to go. */
import { reasonLabel } from "@obleth/fairshare/words";
import { formatExact, formatPercent, formatTimeLeft, formatWait, plural } from "../../../lib/format";
import { noServersWords } from "../../../lib/no-servers";

export interface AttentionFacts {
  readonly kind: string;
  readonly urgent: boolean;
  readonly object: { readonly type: string; readonly id: string; readonly name: string; readonly pool: string | null };
  readonly reason: string | null;
  readonly numbers: Readonly<Record<string, number | string | null>>;
}

export interface AttentionWords {
  readonly label: string;
  readonly shape: "square" | "triangle" | "half_diamond" | "hatched_square" | "ring";
  readonly tone: "urgent" | "watch" | "below" | "neutral" | "open";
  readonly object: string;
  readonly cause: string;
  readonly href: string;
  readonly link: string;
}

/** Full with nobody waiting, or without servers that anybody misses: no reason to get up. */
export function isOnlyWatched(item: Pick<AttentionFacts, "kind" | "urgent">): boolean {
  return item.kind === "full" || (item.kind === "no_servers" && !item.urgent);
}

/** The same item keeps its key while it lasts, so that a snooze finds it again. */
export function attentionKey(item: AttentionFacts): string {
  return `${item.kind} ${item.object.type} ${item.object.id} ${item.object.pool ?? ""}`;
}

export function attentionWords(item: AttentionFacts): AttentionWords {
  const { object } = item;
  const number = (name: string) => (typeof item.numbers[name] === "number" ? (item.numbers[name] as number) : null);
  const text = (name: string) => (typeof item.numbers[name] === "string" ? (item.numbers[name] as string) : null);
  const pool = object.pool ?? object.name;
  const poolHref = `/fairshare?pool=${encodeURIComponent(pool)}`;
  const tenantHref = `${poolHref}&tenant=${encodeURIComponent(object.id)}`;
  const cluster = { href: "/settings?tab=cluster", link: "Open cluster" };
  const oldest = number("oldest_wait_ms");
  const wait = oldest === null ? "" : `, oldest ${formatWait(oldest)}`;
  switch (item.kind) {
    case "stale":
      return {
        label: "Stale",
        shape: "square",
        tone: "urgent",
        object: object.name,
        cause: "its state is old",
        ...cluster,
      };
    case "fallback":
      return {
        label: "Fallback",
        shape: "triangle",
        tone: "watch",
        object: object.name,
        cause: "shared slots are unavailable; each gateway holds its part of every limit",
        ...cluster,
      };
    case "local_with_several":
      return {
        label: "Limits per gateway",
        shape: "triangle",
        tone: "watch",
        object: object.name,
        cause: `${plural(number("replicas") ?? 0, "gateway")} can each run every number in full`,
        ...cluster,
      };
    case "full_waiting":
    case "full":
      return {
        label: item.kind === "full" ? "Full" : `Full, ${formatExact(number("queued"))} waiting`,
        shape: "square",
        tone: item.kind === "full" ? "neutral" : "urgent",
        object: object.name,
        cause: `${formatExact(number("in_use"))} of ${formatExact(number("cap"))}${wait}${aboveWords(item)}`,
        href: poolHref,
        link: "Open pool",
      };
    case "no_servers":
      return {
        label: "No servers",
        shape: "hatched_square",
        tone: "neutral",
        object: object.name,
        cause:
          noServersWords(text("cause")) +
          (number("queued") ? `, ${plural(number("queued") ?? 0, "request waits", "requests wait")}` : "") +
          (number("refused") ? `, ${plural(number("refused") ?? 0, "request")} refused in the last hour` : ""),
        href: `/models/${encodeURIComponent(object.id)}?tab=endpoints`,
        link: "Open model",
      };
    case "below_share":
      return {
        label: "Below share",
        shape: "half_diamond",
        tone: "below",
        object: `${object.name} on ${pool}`,
        cause: `${formatExact(number("in_use"))} of ${formatExact(number("slot_share"))}${oldest === null ? "" : `, waits ${formatWait(oldest)}`}`,
        href: tenantHref,
        link: "Open tenant",
      };
    case "gateway_late":
      return {
        label: "Gateway late",
        shape: "triangle",
        tone: "watch",
        object: object.name,
        cause: `last heartbeat ${formatWait(number("heartbeat_age_ms"))} ago`,
        ...cluster,
      };
    case "long_wait":
      return {
        label: "Long wait",
        shape: "triangle",
        tone: "watch",
        object: object.type === "tenant" ? `${object.name} on ${pool}` : object.name,
        cause: `${formatWait(oldest)}${item.reason ? `: ${reasonLabel(item.reason).toLowerCase()}` : ""}`,
        href: object.type === "tenant" ? tenantHref : poolHref,
        link: object.type === "tenant" ? "Open tenant" : "Open pool",
      };
    case "boost_ending":
      return {
        label: "Boost ends",
        shape: "ring",
        tone: "open",
        object: object.name,
        cause: `in ${formatTimeLeft(number("ends_in_ms") ?? 0)}`,
        href: "/boosts",
        link: "Open boosts",
      };
    case "budget_near":
      return {
        label: "Budget",
        shape: "triangle",
        tone: "watch",
        object: object.name,
        cause: `${formatPercent(number("used_fraction"))} used`,
        href:
          object.type === "key"
            ? `/keys?key=${encodeURIComponent(object.id)}`
            : `/tenants/${encodeURIComponent(object.id)}?tab=limits`,
        link: object.type === "key" ? "Open key" : "Open tenant",
      };
    default:
      return {
        label: item.kind.replaceAll("_", " "),
        shape: "ring",
        tone: "open",
        object: object.name,
        cause: "",
        href: "/fairshare",
        link: "Open",
      };
  }
}

/** Who in a full pool has most above its share: where a slot will come from. */
function aboveWords({ kind, numbers }: AttentionFacts): string {
  const { above_share_tenant: name, above_share_slots: slots } = numbers;
  if (kind === "full" || typeof name !== "string" || typeof slots !== "number" || slots < 1) return "";
  return `; ${name} has ${formatExact(slots)} above its share`;
}

export interface OverviewFacts {
  readonly pools: number;
  readonly pools_full: number;
  readonly tenants_below_share: number;
}

/** "All quiet. 14 pools, none full." or what is wrong, first things first. */
export function overviewAnswer(facts: OverviewFacts, isQuiet: boolean): string {
  const { pools_full: full, tenants_below_share: below } = facts;
  if (facts.pools === 0) return "Nothing is set up yet.";
  const parts: string[] = [];
  if (full > 0) parts.push(`${plural(full, "pool is", "pools are")} full`);
  if (below > 0) parts.push(`${plural(below, "tenant waits below its share", "tenants wait below their share")}`);
  if (parts.length > 0) return `${parts.join(" and ")}.`;
  return isQuiet
    ? `All quiet. ${plural(facts.pools, "pool")}, none full.`
    : `${plural(facts.pools, "pool")}, none full.`;
}
