"use client";

import type { CSSProperties, ReactNode } from "react";
import { Badge } from "../../components/ui/badge";
import { GroupMark, groupColor } from "../../components/ui/group-mark";
import { Value } from "../../components/ui/value";
import { cn } from "../../lib/cn";
import { formatExact, slotCount } from "../../lib/format";
import { useWidth } from "../../lib/use-width";
import { borrowedSlots } from "./logic/slot-cells";
import { CELL_PX, MAX_CELLS, SlotLane } from "./slot-lane";

const ROW = "grid grid-cols-1 md:grid-cols-[11rem_minmax(0,var(--lane))_minmax(18rem,1fr)] md:gap-x-5";

/** One lane: a group, or a tenant where tenants compete directly. */
export interface LaneHolder {
  readonly id: string;
  readonly name: string;
  readonly color: number | null;
  readonly inFlight: number;
  readonly held: number;
  readonly queued: number;
  readonly share: number;
  /** Its tenants that wait below their share. */
  readonly below: number;
}

interface SlotLanesProps {
  holders: readonly LaneHolder[];
  poolSize: number;
  selected: string | null;
  onSelect: (id: string | null) => void;
}

export function SlotLanes({ holders, poolSize, selected, onSelect }: Readonly<SlotLanesProps>) {
  const [ref, width] = useWidth<HTMLDivElement>();
  const widest = Math.max(...holders.map((holder) => Math.max(holder.inFlight + holder.held, holder.share)));
  const lanePx = poolSize > MAX_CELLS ? 640 : widest * CELL_PX + 8;
  return (
    <div className="grid gap-y-1" style={{ "--lane": `${lanePx}px` } as CSSProperties}>
      <div aria-hidden="true" className={ROW}>
        <span className="hidden md:block" />
        <div ref={ref} />
      </div>
      {holders.map((holder) => (
        <Lane
          key={holder.id}
          holder={holder}
          poolSize={poolSize}
          widthPx={width}
          isDimmed={selected !== null && selected !== holder.id}
          onSelect={() => onSelect(selected === holder.id ? null : holder.id)}
          isSelected={selected === holder.id}
        />
      ))}
      <Legend />
    </div>
  );
}

interface LaneProps {
  holder: LaneHolder;
  poolSize: number;
  widthPx: number;
  isSelected: boolean;
  isDimmed: boolean;
  onSelect: () => void;
}

function Lane({ holder, poolSize, widthPx, isSelected, isDimmed, onSelect }: Readonly<LaneProps>) {
  const used = holder.inFlight + holder.held;
  const borrowed = borrowedSlots({ in_flight: holder.inFlight, held: holder.held, share: holder.share });
  return (
    <div data-lane={holder.name} className={cn("min-h-8 items-center gap-y-1 py-1", ROW, isDimmed && "opacity-45")}>
      <button
        type="button"
        aria-pressed={isSelected}
        onClick={onSelect}
        className={cn(
          "flex h-7 min-w-0 items-center gap-2 -ml-1.5 rounded-control px-1.5 text-left text-small font-medium hover:bg-subtle",
          isSelected && "bg-subtle",
        )}
        title={isSelected ? "Show every tenant" : `Only tenants of ${holder.name}`}
      >
        <GroupMark color={holder.color} />
        <span className="name truncate">{holder.name}</span>
      </button>
      <SlotLane
        inFlight={holder.inFlight}
        held={holder.held}
        share={holder.share}
        poolSize={poolSize}
        color={groupColor(holder.color)}
        widthPx={widthPx}
        label={`${holder.name}: ${slotCount(used)} in use, share ${formatExact(holder.share)}, ${borrowed} borrowed`}
      />
      <p className="num text-small text-text-2">
        <Value field="in_use" value={used} isExact className="font-medium text-text" /> in use
        {holder.held > 0 ? ` (${holder.held} held)` : ""}, share <Value field="slot_cap" value={holder.share} isExact />
        {borrowed > 0 ? (
          <>
            , <Value field="borrowed" value={borrowed} isExact /> borrowed
          </>
        ) : null}
        {holder.queued > 0 ? (
          <>
            , <Value field="queued" value={holder.queued} className="font-medium text-text" /> waiting
          </>
        ) : null}
        {holder.below > 0 ? (
          <Badge shape="half_diamond" tone="below" className="ml-2">
            {holder.below === 1 ? "Below share" : `${formatExact(holder.below)} below share`}
          </Badge>
        ) : null}
      </p>
    </div>
  );
}

function Legend() {
  return (
    <ul
      className="mt-2 flex flex-wrap gap-x-4 gap-y-1 border-t pt-2 text-micro text-text-3"
      aria-label="What the cells mean"
    >
      <LegendItem label="running">
        <rect width="8" height="8" rx="1.5" fill="var(--text-3)" />
      </LegendItem>
      <LegendItem label="borrowed">
        <rect width="8" height="8" rx="1.5" fill="var(--text-3)" />
        <rect width="8" height="8" rx="1.5" fill="url(#hatch)" />
      </LegendItem>
      <LegendItem label="held for a session">
        <rect x=".75" y=".75" width="6.5" height="6.5" rx="1.5" fill="none" stroke="var(--text-3)" strokeWidth="1.5" />
      </LegendItem>
      <LegendItem label="unused share">
        <circle cx="4" cy="4" r="1.25" fill="var(--edge)" />
      </LegendItem>
      <LegendItem label="share ends here">
        <rect x="3" width="1.5" height="8" fill="var(--text)" />
      </LegendItem>
    </ul>
  );
}

function LegendItem({ label, children }: Readonly<{ label: string; children: ReactNode }>) {
  return (
    <li className="flex items-center gap-1.5">
      <svg width="8" height="8" aria-hidden="true">
        {children}
      </svg>
      {label}
    </li>
  );
}
