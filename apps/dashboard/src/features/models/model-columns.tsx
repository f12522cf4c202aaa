import Link from "next/link";
import type { Column } from "../../components/table/object-table";
import { Badge } from "../../components/ui/badge";
import { PoolBar } from "../../components/ui/pool-bar";
import { Value } from "../../components/ui/value";
import { formatExact, formatPercent, formatWait } from "../../lib/format";
import { noServersWords } from "../../lib/no-servers";
import { inUse } from "../../lib/pool-state";
import { affinityWord } from "./logic/affinity-draft";
import { type ModelRow, WAITS_A_LOT } from "./logic/model-rows";

const NAME: Column<ModelRow> = {
  key: "name",
  label: "Model",
  sortBy: (row) => row.model.name,
  render: ({ model }) => (
    <>
      <Link
        className="name line-clamp-2 hover:underline"
        title={model.name}
        data-row-link
        href={`/models/${encodeURIComponent(model.name)}`}
      >
        {model.name}
      </Link>
      {model.aliases.length > 0 ? (
        <span className="name block text-micro font-normal text-text-3">{model.aliases.join(", ")}</span>
      ) : null}
    </>
  ),
};

export function modelColumns(): Column<ModelRow>[] {
  return [
    NAME,
    {
      key: "type",
      isDetail: true,
      label: "Type",
      sortBy: (row) => row.model.type,
      render: (row) => <span className="text-text-2">{row.model.type}</span>,
    },
    { key: "serving", label: "Serving", sortBy: (row) => row.serving, render: (row) => <Serving row={row} /> },
    {
      key: "size",
      isDetail: true,
      label: "Pool size",
      isNumber: true,
      sortBy: (row) => row.size,
      render: (row) => (
        <>
          <Value field="cap" value={row.size} isExact />{" "}
          <span className="text-micro text-text-3">{row.model.capacity_mode}</span>
        </>
      ),
    },
    {
      key: "use",
      label: "Use",
      sortBy: (row) => (row.pool ? (row.pool.in_flight + row.pool.held) / Math.max(1, row.pool.cap) : 0),
      firstDirection: "desc",
      render: ({ pool }) =>
        pool === null ? (
          <span className="text-text-3">-</span>
        ) : (
          <span className="flex items-center gap-2">
            <PoolBar pool={pool} className="hidden min-w-24 sm:block" />
            <span className="num shrink-0 text-micro text-text-2">
              {formatExact(inUse(pool))}/{formatExact(pool.cap)}
            </span>
          </span>
        ),
    },
    {
      key: "waiting",
      label: "Waiting",
      isNumber: true,
      sortBy: (row) => row.pool?.queued ?? 0,
      render: ({ pool }) => (
        <Value field="queued" value={pool?.queued ?? 0} className={pool?.queued ? "font-medium" : "text-text-3"} />
      ),
    },
    {
      key: "waited",
      isDetail: true,
      label: "Waited, 1 h",
      isNumber: true,
      sortBy: (row) => row.waitedPart ?? -1,
      render: (row) => (
        <Value
          field="waited_part"
          value={row.waitedPart}
          text={formatPercent(row.waitedPart)}
          missing="No requests in the last hour"
          className={(row.waitedPart ?? 0) > WAITS_A_LOT ? "font-medium" : ""}
        />
      ),
    },
    {
      key: "p95",
      isDetail: true,
      label: "p95 wait",
      isNumber: true,
      sortBy: (row) => row.p95WaitMs ?? -1,
      render: (row) => (
        <Value
          field="p95_wait_ms"
          value={row.p95WaitMs}
          text={formatWait(row.p95WaitMs)}
          missing="No requests in the last hour"
        />
      ),
    },
    {
      key: "affinity",
      isDetail: true,
      label: "Affinity",
      render: ({ model }) => <span className="text-text-2">{affinityWord(model.session_affinity.enabled)}</span>,
    },
    {
      key: "weight",
      isDetail: true,
      label: "Adm. weight",
      isNumber: true,
      render: ({ model }) =>
        model.admission_weight === 100 ? <span className="text-text-3">-</span> : formatExact(model.admission_weight),
    },
  ];
}

function Serving({ row }: Readonly<{ row: ModelRow }>) {
  if (row.serving === "off")
    return (
      <Badge shape="dot" tone="idle">
        Off
      </Badge>
    );
  if (row.serving === "no_servers") {
    return (
      <span className="flex items-center gap-2 whitespace-nowrap">
        <Badge shape="hatched_square" tone="neutral">
          No servers
        </Badge>
        <span className="text-micro text-text-3">{noServersWords(row.cause)}</span>
      </span>
    );
  }
  return (
    <span className="num whitespace-nowrap text-text-2">
      {row.ready} of {row.model.endpoints.length} ready
    </span>
  );
}
