"use client";

import { memo } from "react";
import { UseBar } from "../../components/ui/use-bar";
import { type SlotCell, slotCells } from "./logic/slot-cells";

export const CELL_PX = 10;
const SIZE_PX = 8;
const ROW_PX = 12;
/** Above this many slots in the pool a lane is one bar. */
export const MAX_CELLS = 256;

interface SlotLaneProps {
  inFlight: number;
  held: number;
  share: number;
  /** Slots of the pool: decides between cells and a bar. */
  poolSize: number;
  color: string;
  widthPx: number;
  label: string;
}

/** One holder's slots: solid running, outlined held, hatched borrowed past the tick of its share, dotted unused. */
export const SlotLane = memo(function SlotLane(props: Readonly<SlotLaneProps>) {
  const { inFlight, held, share, poolSize, color, widthPx, label } = props;
  if (poolSize > MAX_CELLS) {
    const borrowed = Math.max(0, inFlight + held - share);
    return (
      <UseBar
        inFlight={inFlight}
        held={held}
        borrowed={borrowed}
        size={poolSize}
        share={share}
        color={color}
        label={label}
      />
    );
  }
  const cells = slotCells({ in_flight: inFlight, held, share });
  const columns = Math.max(1, Math.floor((widthPx || 320) / CELL_PX));
  const rows = Math.max(1, Math.ceil(cells.length / columns));
  const lastOfShare = Math.max(0, share - 1);
  const tick = { column: share === 0 ? 0 : (lastOfShare % columns) + 1, row: Math.floor(lastOfShare / columns) };
  return (
    <svg role="img" aria-label={label} width="100%" height={rows * ROW_PX + 2} className="block overflow-visible">
      {cells.map((cell) => (
        <Cell
          key={cell.place}
          cell={cell}
          x={(cell.place % columns) * CELL_PX}
          y={Math.floor(cell.place / columns) * ROW_PX + 2}
          color={color}
        />
      ))}
      <rect x={tick.column * CELL_PX - 1.75} y={tick.row * ROW_PX} width="1.5" height={ROW_PX} fill="var(--text)" />
    </svg>
  );
});

function Cell({ cell, x, y, color }: Readonly<{ cell: SlotCell; x: number; y: number; color: string }>) {
  const box = { x, y, width: SIZE_PX, height: SIZE_PX, rx: 1.5 };
  if (cell.kind === "unused") return <circle cx={x + 4} cy={y + 4} r="1.25" fill="var(--edge)" />;
  return (
    <>
      {cell.kind === "running" ? (
        <rect {...box} fill={color} />
      ) : (
        <rect
          {...box}
          x={x + 0.75}
          y={y + 0.75}
          width="6.5"
          height="6.5"
          fill="none"
          stroke={color}
          strokeWidth="1.5"
        />
      )}
      {cell.isBorrowed ? <rect {...box} fill="url(#hatch)" /> : null}
    </>
  );
}
