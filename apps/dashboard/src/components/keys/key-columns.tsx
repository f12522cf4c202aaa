import Link from "next/link";
import { budgetUse } from "../../lib/budget";
import { formatAgo, formatExact, formatTimeLeft } from "../../lib/format";
import { keyState } from "../../lib/key-rows";
import type { Key } from "../../queries/wire";
import type { Column } from "../table/object-table";
import { Badge } from "../ui/badge";
import { BudgetBar } from "../ui/budget-bar";
import { Value } from "../ui/value";
import { KeyLink } from "./key-link";

export function keyColumns({ withTenant, nowMs }: { withTenant: boolean; nowMs: number }): Column<Key>[] {
  const tenant: Column<Key> = {
    key: "tenant",
    label: "Tenant",
    sortBy: (key) => key.tenant_name,
    render: (key) => (
      <Link className="name hover:underline" href={`/tenants/${key.tenant_id}`}>
        {key.tenant_name}
      </Link>
    ),
  };
  return [
    { key: "name", label: "Key", sortBy: (key) => key.name, render: (key) => <KeyLink id={key.id} name={key.name} /> },
    {
      key: "prefix",
      isDetail: true,
      label: "Prefix",
      render: (key) => <code className="font-mono text-micro text-text-2">{key.prefix}…</code>,
    },
    ...(withTenant ? [tenant] : []),
    {
      key: "weight",
      isDetail: true,
      label: "Weight",
      isNumber: true,
      sortBy: (key) => key.weight,
      render: (key) => formatExact(key.weight),
    },
    {
      key: "cap",
      isDetail: true,
      label: "Cap",
      isNumber: true,
      sortBy: (key) => key.max_in_flight ?? Infinity,
      render: (key) => <Value field="max_in_flight" value={key.max_in_flight} isExact missing="No cap" />,
    },
    {
      key: "state",
      label: "State",
      sortBy: (key) => keyState(key, nowMs),
      render: (key) => <State value={key} nowMs={nowMs} />,
    },
    {
      key: "used",
      label: "Last used",
      sortBy: (key) => key.last_used_ts_ms ?? 0,
      firstDirection: "desc",
      render: (key) => (
        <span className="num whitespace-nowrap text-text-2">
          {key.last_used_ts_ms === null ? "never" : formatAgo(nowMs - key.last_used_ts_ms)}
        </span>
      ),
    },
    {
      key: "by",
      isDetail: true,
      label: "Made by",
      sortBy: (key) => key.created_by,
      render: (key) => <span className="name text-text-2">{key.created_by}</span>,
    },
    { key: "budget", isDetail: true, label: "Budget", render: (key) => <BudgetBar use={budgetUse(key)} /> },
  ];
}

function State({ value, nowMs }: Readonly<{ value: Key; nowMs: number }>) {
  const state = keyState(value, nowMs);
  if (state === "active") return <span className="text-text-2">Active</span>;
  if (state === "rotating") {
    const left = formatTimeLeft((value.previous_secret_expires_ts_ms ?? 0) - nowMs);
    return (
      <Badge shape="ring" tone="open">
        Old secret works {left} more
      </Badge>
    );
  }
  return (
    <Badge shape="dot" tone="idle">
      {state === "disabled" ? "Disabled" : "Expired"}
    </Badge>
  );
}
