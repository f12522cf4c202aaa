import { Cell, HeadCell, Table, TableFrame } from "../../components/ui/table";
import { formatClock, formatExact, type Zone } from "../../lib/format";
import type { HistoryView } from "../../lib/history-series";

/** The chart's columns as rows, newest first. */
export function HistoryTable({ view, zone }: Readonly<{ view: HistoryView; zone: Zone }>) {
  return (
    <TableFrame className="max-h-80 overflow-y-auto lg:[--head-top:0] rounded-control border">
      <Table aria-label="History">
        <thead>
          <tr>
            <HeadCell>Time</HeadCell>
            <HeadCell isNumber>Running</HeadCell>
            <HeadCell isNumber>Held</HeadCell>
            <HeadCell isNumber>Waiting</HeadCell>
            <HeadCell isNumber>Pool size</HeadCell>
          </tr>
        </thead>
        <tbody>
          {[...view.rows].reverse().map(({ tsMs, sample }) => (
            <tr key={tsMs} className="border-b last:border-b-0">
              <Cell className="num">{formatClock(tsMs, zone)}</Cell>
              <Cell isNumber>{formatExact(sample?.in_flight)}</Cell>
              <Cell isNumber>{formatExact(sample?.held)}</Cell>
              <Cell isNumber>{formatExact(sample?.queued)}</Cell>
              <Cell isNumber>{formatExact(sample?.cap)}</Cell>
            </tr>
          ))}
        </tbody>
      </Table>
    </TableFrame>
  );
}
