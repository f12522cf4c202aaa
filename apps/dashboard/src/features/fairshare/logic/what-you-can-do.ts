/** What an operator can do about a full pool, best first, each with the fact that speaks for it. */
import { formatExact, formatPercent, listWords, slotCount } from "../../../lib/format";
import { inUse } from "../../../lib/pool-state";
import { aboveShare, type TenantLoad } from "../../../lib/standing";

export interface Remedy {
  readonly id:
    | "grow"
    | "add_servers"
    | "rebalance"
    | "cap_holder"
    | "boost"
    | "shorten_hold"
    | "raise_ceiling"
    | "gateways";
  readonly text: string;
  /** Null: a remark, nothing to open. */
  readonly href: string | null;
}

export interface PoolSituation {
  readonly model: string;
  readonly cap: number;
  readonly usable: number;
  readonly in_flight: number;
  readonly held: number;
  readonly replicas: number;
  readonly tenants: readonly TenantLoad[];
  /** How the size was found; null while unknown. */
  readonly capacity: { readonly mode: "static" | "tuned" | "discovered"; readonly isTuned: boolean } | null;
  /** Holds and how many of them were taken in the last while; null while affinity is off or unknown. */
  readonly affinity: { readonly hold: number; readonly redeem: number } | null;
}

const HOG_PART = 0.5;
const WASTED_BELOW = 0.5;

export function remedies(pool: PoolSituation): Remedy[] {
  const encoded = encodeURIComponent(pool.model);
  const capacityHref = `/models/${encoded}?tab=capacity`;
  const below = pool.tenants.filter((tenant) => tenant.below_share && !tenant.at_cap);
  const above = pool.tenants.filter((tenant) => aboveShare(tenant) > 0).sort((a, b) => aboveShare(b) - aboveShare(a));
  const list: (Remedy | null)[] = [
    ceilingRemedy(pool),
    growRemedy(pool, capacityHref),
    rebalanceRemedy(above, below),
    hogRemedy(pool, encoded),
    boostRemedy(below, encoded),
    holdRemedy(pool, capacityHref),
    pool.capacity?.isTuned
      ? {
          id: "add_servers",
          text: "Add servers: the size is where auto-tune found the backend's limit.",
          href: `/models/${encoded}?tab=endpoints`,
        }
      : null,
    pool.replicas > 1 ? { id: "gateways", text: "Adding gateways adds no slots: they share these.", href: null } : null,
  ];
  return list.filter((remedy) => remedy !== null);
}

function ceilingRemedy(pool: PoolSituation): Remedy | null {
  if (pool.usable >= pool.cap) return null;
  const text = `Raise the ceiling: it leaves ${formatExact(pool.usable)} of this pool's ${slotCount(pool.cap)} usable.`;
  return { id: "raise_ceiling", text, href: "/settings?tab=cluster" };
}

function growRemedy(pool: PoolSituation, href: string): Remedy | null {
  if (pool.capacity === null || pool.capacity.isTuned || pool.capacity.mode !== "static") return null;
  return {
    id: "grow",
    text: "Grow the pool: its size was set by hand and never tuned, so the backend may have room.",
    href,
  };
}

function rebalanceRemedy(above: readonly TenantLoad[], below: readonly TenantLoad[]): Remedy | null {
  const [holder] = above;
  if (holder === undefined || below.length === 0) return null;
  const text = `Rebalance the weights: ${holder.name} has ${slotCount(aboveShare(holder))} above its share while ${listWords(below.slice(0, 2).map((tenant) => tenant.name))} ${below.length === 1 ? "waits" : "wait"} below.`;
  return { id: "rebalance", text, href: "/fairshare/groups" };
}

function hogRemedy(pool: PoolSituation, encoded: string): Remedy | null {
  const [most] = [...pool.tenants].sort((a, b) => inUse(b) - inUse(a));
  if (
    most === undefined ||
    pool.tenants.length < 2 ||
    inUse(most) <= pool.cap * HOG_PART ||
    most.max_in_flight !== null
  )
    return null;
  const text = `Cap ${most.name} here: it has ${formatExact(inUse(most))} of ${slotCount(pool.cap)}.`;
  return { id: "cap_holder", text, href: `/fairshare?pool=${encoded}&tenant=${encodeURIComponent(most.tenant_id)}` };
}

function boostRemedy(below: readonly TenantLoad[], encoded: string): Remedy | null {
  const [first] = [...below].sort((a, b) => (a.position ?? Infinity) - (b.position ?? Infinity));
  if (first === undefined) return null;
  const href = `/boosts?new=true&tenant=${encodeURIComponent(first.tenant_id)}&model=${encoded}`;
  return { id: "boost", text: `Boost ${first.name} for a while: it waits below its share.`, href };
}

function holdRemedy(pool: PoolSituation, href: string): Remedy | null {
  const { affinity } = pool;
  if (affinity === null || affinity.hold === 0 || affinity.redeem >= affinity.hold * WASTED_BELOW) return null;
  const text = `Shorten the hold time: only ${formatPercent(affinity.redeem / affinity.hold)} of held slots are taken.`;
  return { id: "shorten_hold", text, href };
}
