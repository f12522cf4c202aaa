import Link from "next/link";
import type { Column } from "../../components/table/object-table";
import { Badge } from "../../components/ui/badge";
import { BoostPill } from "../../components/ui/boost-pill";
import { BudgetBar } from "../../components/ui/budget-bar";
import { GroupMark } from "../../components/ui/group-mark";
import { Value } from "../../components/ui/value";
import { formatExact } from "../../lib/format";
import type { TenantRow } from "./logic/tenant-rows";

const NAME: Column<TenantRow> = {
  key: "name",
  label: "Tenant",
  sortBy: (row) => row.tenant.name,
  render: ({ tenant, boost }) => (
    <span className="flex flex-wrap items-center gap-x-2">
      <Link
        className="name line-clamp-2 hover:underline"
        title={tenant.name}
        data-row-link
        href={`/tenants/${tenant.id}`}
      >
        {tenant.name}
      </Link>
      <BoostPill boost={boost} />
      {tenant.status === "suspended" ? (
        <Badge shape="dot" tone="idle">
          Suspended
        </Badge>
      ) : null}
    </span>
  ),
};

export function tenantColumns(colors: ReadonlyMap<string, number | null>): Column<TenantRow>[] {
  return [
    NAME,
    {
      key: "group",
      isDetail: true,
      label: "Group",
      sortBy: (row) => row.tenant.group,
      render: ({ tenant }) => (
        <span className="flex max-w-48 items-center gap-1.5 text-text-2">
          <GroupMark color={colors.get(tenant.group)} />
          <span className="name line-clamp-2 wrap-anywhere!" title={tenant.group}>
            {tenant.group}
          </span>
        </span>
      ),
    },
    {
      key: "weight",
      isDetail: true,
      label: "Weight",
      isNumber: true,
      sortBy: (row) => row.tenant.weight,
      render: ({ tenant, boost }) =>
        boost === null ? (
          formatExact(tenant.weight)
        ) : (
          <>
            <s className="text-text-3">{formatExact(tenant.weight)}</s>{" "}
            {formatExact(boost.weight ?? Math.max(1, Math.round(tenant.weight * boost.factor)))}
          </>
        ),
    },
    {
      key: "cap",
      isDetail: true,
      label: "Cap",
      isNumber: true,
      sortBy: (row) => row.tenant.max_in_flight ?? Infinity,
      render: ({ tenant }) => <Value field="max_in_flight" value={tenant.max_in_flight} isExact missing="No cap" />,
    },
    {
      key: "use",
      label: "In use",
      isNumber: true,
      sortBy: (row) => row.inUse ?? -1,
      render: (row) => <Value field="in_use" value={row.inUse} isExact />,
    },
    {
      key: "waiting",
      label: "Waiting",
      isNumber: true,
      sortBy: (row) => row.queued ?? -1,
      render: (row) => (
        <Value
          field="queued"
          value={row.queued}
          className={row.queued !== null && row.queued > 0 ? "font-medium" : "text-text-3"}
        />
      ),
    },
    {
      key: "below",
      label: "Standing",
      sortBy: (row) => Number(row.isBelow),
      firstDirection: "desc",
      render: (row) =>
        row.isBelow ? (
          <Badge shape="half_diamond" tone="below">
            Below share
          </Badge>
        ) : (
          <span className="text-text-3">-</span>
        ),
    },
    {
      key: "requests",
      isDetail: true,
      label: "Requests, 24 h",
      isNumber: true,
      sortBy: (row) => row.requests ?? -1,
      render: (row) => <Value field="requests" value={row.requests} />,
    },
    {
      key: "budget",
      isDetail: true,
      label: "Budget",
      sortBy: (row) => row.budget?.part ?? -1,
      firstDirection: "desc",
      render: (row) => <BudgetBar use={row.budget} />,
    },
    {
      key: "keys",
      isDetail: true,
      label: "Keys",
      isNumber: true,
      sortBy: (row) => row.tenant.key_count,
      render: ({ tenant }) => (
        <Link className="link" href={`/tenants/${tenant.id}?tab=keys`}>
          {formatExact(tenant.key_count)}
        </Link>
      ),
    },
  ];
}
