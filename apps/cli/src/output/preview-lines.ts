/** A preview as text: who gives up slots, who gains them, and when. */
import type { PreviewAnswer, PreviewPool } from "@obleth/contract";
import { counted, formatExact } from "@obleth/fairshare/words";
import { visible } from "./plain-text";
import { type Column, tableLines } from "./table";

type TenantSplit = PreviewPool["tenants"][number];

const COLUMNS: readonly Column<TenantSplit>[] = [
  { title: "TENANT", cell: ({ name }) => name },
  { title: "GROUP", cell: ({ group_before: a, group_after: b }) => (a === b ? a : `${a} -> ${b}`) },
  { title: "WEIGHT", align: "right", cell: (row) => change(row.weight_before, row.weight_after, formatExact) },
  { title: "SLOTS", align: "right", cell: (row) => change(row.slots_before, row.slots_after, formatExact) },
  { title: "FAIR SHARE", align: "right", cell: (row) => change(row.fair_share_before, row.fair_share_after, share) },
  { title: "IN USE", align: "right", cell: (row) => formatExact(row.in_use) },
  { title: "QUEUED", align: "right", cell: (row) => formatExact(row.queued) },
];

export function previewLines(preview: PreviewAnswer, width: number | null): string[] {
  return [visible(preview.summary), ...preview.pools.flatMap((pool) => ["", ...poolLines(pool, width)])];
}

function poolLines(pool: PreviewPool, width: number | null): string[] {
  const size = change(pool.size_before, pool.size_after, (n) => counted(n, "slot"));
  const { movement, flags, next_step: next } = pool;
  return [
    visible(`${pool.pool}, ${size}: ${pool.summary}`),
    ...(pool.tenants.length === 0 ? [] : tableLines(pool.tenants, COLUMNS, width)),
    ...[movement, ...flags.map(({ text }) => text), next?.text ?? ""].filter((text) => text !== "").map(visible),
  ];
}

function change(before: number, after: number, words: (value: number) => string): string {
  return before === after ? words(after) : `${words(before)} -> ${words(after)}`;
}

function share(value: number): string {
  return value.toFixed(2);
}
