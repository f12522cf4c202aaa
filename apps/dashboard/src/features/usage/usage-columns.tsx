import type { Column } from "../../components/table/object-table";
import { Value } from "../../components/ui/value";
import { formatWait } from "../../lib/format";
import type { UsageSummary } from "../../queries/wire";
import { DIMENSION_LABELS, type Dimension, rowName } from "./logic/usage-rows";

type Row = UsageSummary["rows"][number];

/** What a row is of, then how its requests fared. */
export function usageColumns(by: Dimension): Column<Row>[] {
  const wait = (key: "avg_wait_ms" | "p50_wait_ms" | "p95_wait_ms" | "max_wait_ms", label: string): Column<Row> => ({
    key,
    label,
    isNumber: true,
    sortBy: (row) => row[key] ?? -1,
    render: (row) => <Value field={key} value={row[key]} text={formatWait(row[key])} missing="Nothing waited" />,
  });
  const columns: Column<Row>[] = [
    {
      key: "name",
      label: DIMENSION_LABELS[by].split(" ")[0] ?? "",
      sortBy: (row) => rowName(row, by).main,
      render: (row) => <span className="name">{rowName(row, by).main}</span>,
    },
  ];
  if (by === "tenant,admission")
    columns.push({
      key: "admission",
      label: "Admission",
      sortBy: (row) => row.admission ?? "",
      render: (row) => <span className="text-text-2">{row.admission}</span>,
    });
  return [
    ...columns,
    {
      key: "requests",
      label: "Requests",
      isNumber: true,
      sortBy: (row) => row.requests,
      render: (row) => <Value field="requests" value={row.requests} />,
    },
    {
      key: "timed_out",
      label: "Timed out",
      isNumber: true,
      sortBy: (row) => row.timed_out,
      render: (row) => (
        <Value field="timed_out" value={row.timed_out} className={row.timed_out > 0 ? "font-medium" : "text-text-3"} />
      ),
    },
    wait("avg_wait_ms", "Average wait"),
    wait("p50_wait_ms", "p50"),
    wait("p95_wait_ms", "p95"),
    wait("max_wait_ms", "Worst wait"),
    {
      key: "tokens",
      label: "Tokens",
      isNumber: true,
      sortBy: (row) => row.input_tokens + row.output_tokens,
      render: (row) => <Value field="tokens" value={row.input_tokens + row.output_tokens} />,
    },
  ];
}
