"use client";

import { UseBar } from "../../components/ui/use-bar";
import { formatExact, plural, slotCount } from "../../lib/format";
import { useWidth } from "../../lib/use-width";
import { MAX_CELLS } from "./slot-lane";

/** A tenant's part of the strip. */
export interface StripPart {
  readonly id: string;
  readonly name: string;
  readonly color: string;
  readonly inFlight: number;
  readonly held: number;
}

interface SlotStripProps {
  parts: readonly StripPart[];
  poolSize: number;
  /** The tenant whose row is pointed at or focused. */
  lit: string | null;
}

const CELL_PX = 14;
const SIZE_PX = 11;

/** Every slot of the pool in one wrapped strip, tenant by tenant; free slots are dots. */
export function SlotStrip({ parts, poolSize, lit }: Readonly<SlotStripProps>) {
  const [ref, width] = useWidth<HTMLDivElement>();
  const used = parts.reduce((sum, part) => sum + part.inFlight + part.held, 0);
  const label = `${formatExact(used)} of ${slotCount(poolSize)} in use by ${plural(parts.length, "tenant")}`;
  if (poolSize > MAX_CELLS) {
    const held = parts.reduce((sum, part) => sum + part.held, 0);
    return <UseBar inFlight={used - held} held={held} borrowed={0} size={poolSize} label={label} />;
  }
  const cells = parts.flatMap((part) =>
    Array.from({ length: part.inFlight + part.held }, (_, index) => ({ part, index, isHeld: index >= part.inFlight })),
  );
  const columns = Math.max(1, Math.floor((width || 320) / CELL_PX));
  const total = Math.max(poolSize, cells.length);
  const place = (index: number) => ({ x: (index % columns) * CELL_PX, y: Math.floor(index / columns) * CELL_PX });
  return (
    <div ref={ref}>
      <svg role="img" aria-label={label} width="100%" height={Math.ceil(total / columns) * CELL_PX} className="block">
        {cells.map(({ part, index, isHeld }, at) => (
          <rect
            key={`${part.id} ${index}`}
            {...place(at)}
            width={SIZE_PX}
            height={SIZE_PX}
            rx="2"
            fill={isHeld ? "none" : part.color}
            stroke={lit === part.id ? "var(--text)" : part.color}
            strokeWidth={isHeld || lit === part.id ? 1.5 : 0}
            opacity={lit === null || lit === part.id ? 1 : 0.35}
          >
            <title>{part.name}</title>
          </rect>
        ))}
        {Array.from({ length: Math.max(0, total - cells.length) }, (_, free) => cells.length + free).map((at) => {
          const { x, y } = place(at);
          return <circle key={`free ${at}`} cx={x + SIZE_PX / 2} cy={y + SIZE_PX / 2} r="1.5" fill="var(--edge)" />;
        })}
      </svg>
    </div>
  );
}
