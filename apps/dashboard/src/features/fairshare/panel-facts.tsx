import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { BoostPill } from "../../components/ui/boost-pill";
import { Button } from "../../components/ui/button";
import { GroupMark } from "../../components/ui/group-mark";
import { formatExact, formatWait } from "../../lib/format";
import { groupColors } from "../../lib/group-colors";
import { inUse } from "../../lib/pool-state";
import { standingLabel } from "../../lib/standing";
import { groupsQuery } from "../../queries/objects";
import type { LivePool, LiveTenant, Tenant } from "../../queries/wire";
import { WhyTip } from "./why-tip";

/** A tenant's group, and how it stands in the open pool. */
export function PanelFacts({
  here,
  tenant,
  pool,
}: Readonly<{ here: LiveTenant | undefined; tenant: Tenant; pool: LivePool }>) {
  // A group without work here is not among the pool's.
  const stored = useQuery(groupsQuery()).data?.items.filter((group) => group.name === tenant.group) ?? [];
  const color = groupColors([...pool.groups, ...stored]).get(tenant.group);
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span className="flex items-center gap-1.5">
        <GroupMark color={color} />
        <span className="name">{tenant.group}</span>
      </span>
      {here ? (
        <>
          <span className="num">
            {formatExact(inUse(here))} in use of a share of {formatExact(here.slot_share)}
            {here.slot_share === 0 ? " (counts as 1)" : ""}, {formatExact(here.queued)} waiting
            {here.oldest_wait_ms === null ? "" : `, oldest ${formatWait(here.oldest_wait_ms)}`}
          </span>
          <span className="flex items-center gap-1 text-text">
            {standingLabel(here)}
            <WhyTip pool={pool.model} tenant={here} />
          </span>
          <BoostPill boost={here.boost} />
        </>
      ) : (
        <span className="flex items-center gap-1">
          No work on {pool.model}
          <WhyTip pool={pool.model} tenant={{ tenant_id: tenant.id, name: tenant.name }} />
        </span>
      )}
    </div>
  );
}

/** Where to go on about a tenant. */
export function PanelLinks({ tenant, pool }: Readonly<{ tenant: Tenant; pool: string }>) {
  const id = encodeURIComponent(tenant.id);
  const links = [
    { href: `/boosts?new=true&tenant=${id}&model=${encodeURIComponent(pool)}`, label: "Boost" },
    { href: `/tenants/${id}`, label: "Open page" },
    { href: `/tenants/${id}?tab=keys`, label: "Keys" },
    { href: `/usage?tenant=${id}`, label: "Usage" },
    { href: `/audit?object=${id}`, label: "Audit" },
  ];
  return (
    <nav aria-label={`More about ${tenant.name}`} className="flex flex-wrap gap-2 border-t pt-4">
      {links.map((link) => (
        <Button key={link.label} asChild size="small">
          <Link href={link.href}>{link.label}</Link>
        </Button>
      ))}
    </nav>
  );
}
