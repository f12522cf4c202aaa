"use client";

import Link from "next/link";
import { Cell } from "../../components/ui/table";
import { Value } from "../../components/ui/value";
import { formatExact, formatWait } from "../../lib/format";
import type { LiveKey } from "../../queries/wire";
import { inUse } from "./logic/pool-state";

/** A key of an opened tenant. */
export function KeyRow({ entry, rowIndex }: Readonly<{ entry: LiveKey; rowIndex: number }>) {
  const cap = entry.max_in_flight === null ? "no cap" : `cap ${formatExact(entry.max_in_flight)}`;
  return (
    <tr aria-rowindex={rowIndex} data-key={entry.name} className="border-b bg-subtle/50">
      <th scope="row" className="h-(--row) px-3 pl-10 text-left font-normal">
        <Link
          href={`/keys?key=${encodeURIComponent(entry.key_id)}`}
          data-row-link
          className="name block truncate text-text-2 hover:underline"
        >
          key {entry.name}
        </Link>
      </th>
      <Cell className="num hidden truncate text-micro text-text-3 sm:table-cell">
        weight {formatExact(entry.weight)}, {cap}
      </Cell>
      <Cell isNumber className="text-text-3" title="Part of its tenant's share, by key weight">
        <Value field="expected_slots" value={entry.expected_slots} text={entry.expected_slots.toFixed(1)} />
      </Cell>
      <Cell isNumber>
        <Value field="in_use" value={inUse(entry)} isExact />
        {entry.held > 0 ? <span className="text-text-3"> ({entry.held} held)</span> : null}
      </Cell>
      <Cell isNumber>
        <Value field="queued" value={entry.queued} className={entry.queued > 0 ? "" : "text-text-3"} />
      </Cell>
      <Cell isNumber>
        <Value field="oldest_wait_ms" value={entry.oldest_wait_ms} text={formatWait(entry.oldest_wait_ms)} />
      </Cell>
      <Cell />
      <Cell className="px-5 text-micro text-text-2">{entry.at_cap ? "At cap" : ""}</Cell>
    </tr>
  );
}
