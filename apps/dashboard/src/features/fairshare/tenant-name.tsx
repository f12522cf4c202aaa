import { ChevronRight } from "lucide-react";
import Link from "next/link";
import { BoostPill } from "../../components/ui/boost-pill";
import { cn } from "../../lib/cn";
import type { LiveTenant } from "../../queries/wire";
import { poolHref } from "./search-params";

interface TenantNameProps {
  pool: string;
  tenant: LiveTenant;
  isExpanded: boolean;
  hasKeys: boolean;
  onExpand: (tenantId: string) => void;
  /** The pill stands elsewhere in the row. */
  isBare?: boolean;
}

/** Opens the tenant's keys, and its panel. */
export function TenantName({ pool, tenant, isExpanded, hasKeys, onExpand, isBare }: Readonly<TenantNameProps>) {
  return (
    <span className="flex items-center gap-1">
      <button
        type="button"
        aria-expanded={isExpanded}
        aria-label={`Keys of ${tenant.name}`}
        disabled={!hasKeys}
        onClick={() => onExpand(tenant.tenant_id)}
        className="grid size-6 shrink-0 place-items-center rounded-control text-text-3 hover:text-text disabled:invisible"
      >
        <ChevronRight className={cn("size-4", isExpanded && "rotate-90")} aria-hidden="true" />
      </button>
      <Link
        href={poolHref(pool, { tenant: tenant.tenant_id })}
        scroll={false}
        prefetch={false}
        data-row-link
        className="name min-w-0 truncate font-medium hover:underline"
        title={tenant.name}
      >
        {tenant.name}
      </Link>
      {isBare ? null : <BoostPill boost={tenant.boost} />}
    </span>
  );
}
