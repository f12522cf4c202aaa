"use client";

import Link from "next/link";
import { Cell } from "../../components/ui/table";
import { Value } from "../../components/ui/value";
import { formatExact, formatWait } from "../../lib/format";
import { inUse } from "../../lib/pool-state";
import type { LiveKey } from "../../queries/wire";

interface KeyRowProps {
  entry: LiveKey;
  rowIndex: number;
  isNarrow: boolean;
}

/** A key of an opened tenant. */
export function KeyRow({ entry, rowIndex, isNarrow }: Readonly<KeyRowProps>) {
  const cap = entry.max_in_flight === null ? "no cap" : `cap ${formatExact(entry.max_in_flight)}`;
  const terms = `weight ${formatExact(entry.weight)}, ${cap}`;
  const name = (
    <Link
      href={`/keys?key=${encodeURIComponent(entry.key_id)}`}
      prefetch={false}
      data-row-link
      className="name block truncate text-text-2 hover:underline"
    >
      key {entry.name}
    </Link>
  );
  const used = (
    <>
      <Value field="in_use" value={inUse(entry)} isExact />
      {entry.held > 0 ? <span className="text-text-3"> ({entry.held} held)</span> : null}
    </>
  );
  const waiting = <Value field="queued" value={entry.queued} className={entry.queued > 0 ? "" : "text-text-3"} />;
  const oldest = <Value field="oldest_wait_ms" value={entry.oldest_wait_ms} text={formatWait(entry.oldest_wait_ms)} />;
  const line = { "aria-rowindex": rowIndex, "data-key": entry.name, className: "border-b bg-subtle/50" };
  if (isNarrow) {
    return (
      <tr {...line}>
        <th scope="row" className="h-17 overflow-hidden px-3 pl-10 text-left font-normal">
          {name}
          <span className="num block truncate text-micro text-text-3">
            {terms}
            {entry.at_cap ? ", at cap" : ""}
          </span>
        </th>
        <Cell isNumber className="px-1">
          {used}
        </Cell>
        <Cell isNumber className="pl-1">
          {waiting}
          <span className="block text-micro text-text-2">{entry.oldest_wait_ms === null ? null : oldest}</span>
        </Cell>
      </tr>
    );
  }
  return (
    <tr {...line}>
      <th scope="row" className="h-(--row) px-3 pl-10 text-left font-normal">
        {name}
      </th>
      <Cell className="num truncate text-micro text-text-3">{terms}</Cell>
      <Cell />
      <Cell isNumber>{used}</Cell>
      <Cell isNumber>{waiting}</Cell>
      <Cell isNumber>{oldest}</Cell>
      <Cell />
      <Cell className="px-5 text-micro text-text-2">{entry.at_cap ? "At cap" : ""}</Cell>
    </tr>
  );
}
