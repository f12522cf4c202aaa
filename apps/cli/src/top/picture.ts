/** The live state as lines of text: every pool, or one pool's tenants. Pure, so that what is drawn can be tested. */
import type { FairshareLive, LivePool, LiveTenant, WaitReason } from "@obleth/contract";
import { counted, formatCount, formatExact, formatTimeOfDay, formatWait, reasonLabel } from "@obleth/fairshare/words";
import { visible } from "../output/plain-text";
import { type Column, tableLines } from "../output/table";

export interface PictureOptions {
  /** One pool's tenants instead of every pool. */
  readonly pool: string | null;
  readonly width: number | null;
  readonly timeZone: string;
}

const BAR_CELLS = 12;

const POOL_COLUMNS: readonly Column<LivePool>[] = [
  { title: "POOL", narrowest: 16, cell: ({ model }) => model },
  { title: "FILL", leaves: 1, cell: bar },
  {
    title: "IN USE",
    align: "right",
    cell: (pool) => `${formatExact(pool.in_flight + pool.held)}/${formatExact(pool.cap)}`,
  },
  { title: "QUEUED", align: "right", cell: ({ queued }) => formatCount(queued) },
  { title: "OLDEST", align: "right", cell: ({ oldest_wait_ms: ms }) => (ms === null ? "-" : formatWait(ms)) },
  { title: "HELD", align: "right", leaves: 2, cell: ({ held }) => formatExact(held) },
  { title: "BORROWED", align: "right", leaves: 3, cell: ({ borrowed }) => formatExact(borrowed) },
  { title: "BELOW SHARE", align: "right", leaves: 4, cell: ({ tenants_below_share: n }) => formatExact(n) },
  { title: "WAITS FOR", narrowest: 14, cell: mainReason },
];

const TENANT_COLUMNS: readonly Column<LiveTenant>[] = [
  { title: "TENANT", narrowest: 16, cell: ({ name }) => name },
  { title: "GROUP", narrowest: 8, leaves: 1, cell: ({ group }) => group },
  {
    title: "WEIGHT",
    align: "right",
    cell: ({ effective_weight: n, boost }) => `${formatExact(n)}${boost === null ? "" : "*"}`,
  },
  { title: "IN USE", align: "right", cell: (tenant) => formatExact(tenant.in_flight + tenant.held) },
  { title: "SHARE", align: "right", cell: ({ slot_share: n }) => formatExact(n) },
  { title: "FAIR SHARE", align: "right", leaves: 3, cell: ({ expected_slots: n }) => n.toFixed(2) },
  { title: "BORROWED", align: "right", leaves: 3, cell: ({ borrowed }) => formatExact(borrowed) },
  { title: "QUEUED", align: "right", cell: ({ queued }) => formatCount(queued) },
  { title: "OLDEST", align: "right", cell: ({ oldest_wait_ms: ms }) => (ms === null ? "-" : formatWait(ms)) },
  { title: "WHY", narrowest: 12, cell: ({ queued, reason }) => (queued === 0 ? "" : reasonLabel(reason)) },
];

export function picture(live: FairshareLive, options: PictureOptions): string[] {
  return [
    ...headLines(live, options),
    "",
    ...(options.pool === null ? poolLines(live, options) : tenantLines(live, options)),
  ];
}

function headLines(live: FairshareLive, { timeZone }: PictureOptions): string[] {
  const { mode, replicas, replicas_reporting: reporting, scope, scope_reason: reason } = live;
  const gateways =
    reporting < replicas ? `${reporting} of ${counted(replicas, "gateway")}` : counted(replicas, "gateway");
  const view =
    scope === "replica" && replicas > 1 ? `, this gateway's view only${reason === null ? "" : ` (${reason})`}` : "";
  return [
    `obleth at ${formatTimeOfDay(live.ts_ms, { timeZone })}: ${gateways}, limits held ${MODE_WORDS[mode]}${view}`,
    `${formatExact(live.in_flight)} of ${counted(live.max_in_flight, "slot")} in use, ${formatCount(live.queued)} queued, ` +
      `${formatExact(live.held)} held, ${formatExact(live.borrowed)} borrowed; ceiling ${formatExact(live.hard_ceiling)}` +
      `${live.ceiling_reached ? ", reached" : ""}`,
  ].map(visible);
}

const MODE_WORDS: Readonly<Record<FairshareLive["mode"], string>> = {
  local: "locally",
  shared: "across all gateways",
  fallback: "by split, since Redis is away",
  split: "by split",
};

function poolLines({ pools }: FairshareLive, { width }: PictureOptions): string[] {
  return pools.length === 0 ? ["No model is enabled and nothing runs."] : tableLines(pools, POOL_COLUMNS, width);
}

function tenantLines({ pools }: FairshareLive, { pool: name, width }: PictureOptions): string[] {
  const [pool] = pools;
  if (pool === undefined) return [visible(`Nothing runs or waits on ${name}, and no enabled model has that name.`)];
  const head = tableLines([pool], POOL_COLUMNS, width);
  const tenants = pool.tenants ?? [];
  if (tenants.length === 0) return [...head, "", "No tenant has work here."];
  const cutNote =
    tenants.length < pool.tenants_total
      ? [`The busiest ${tenants.length} of ${pool.tenants_total} tenants; totals include all.`]
      : [];
  const boostNote = tenants.some(({ boost }) => boost !== null) ? ["* boosted"] : [];
  return [...head, "", ...tableLines(tenants, TENANT_COLUMNS, width), ...boostNote, ...cutNote];
}

/** `#` in use, `+` held, `.` free. */
function bar({ in_flight: inFlight, held, cap }: LivePool): string {
  if (cap === 0) return `[${"-".repeat(BAR_CELLS)}]`;
  const cells = (n: number) => (n === 0 ? 0 : Math.max(1, Math.round((Math.min(n, cap) / cap) * BAR_CELLS)));
  const used = cells(inFlight);
  const kept = Math.min(BAR_CELLS - used, cells(held));
  return `[${"#".repeat(used)}${"+".repeat(kept)}${".".repeat(BAR_CELLS - used - kept)}]`;
}

function mainReason(pool: LivePool): string {
  if (pool.capacity_state === "no_servers") return reasonLabel("no_servers");
  const reasons = Object.entries(pool.waiting_by_reason) as [WaitReason, number][];
  const [first] = reasons.filter(([, n]) => n > 0).sort(([, a], [, b]) => b - a);
  return first === undefined ? "" : reasonLabel(first[0]);
}
