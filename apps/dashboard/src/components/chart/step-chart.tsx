"use client";

import {
  Area,
  CartesianGrid,
  ComposedChart,
  Line,
  ReferenceArea,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from "recharts";
import { formatClock, formatCount, formatMinute, type Zone } from "../../lib/format";
import type { Gap, Mark } from "../../lib/history-series";
import { axisEndMs, type ChartRow, closedSteps, SAMPLE_TS } from "./steps";

export interface ChartBand {
  readonly key: string;
  readonly name: string;
  readonly color: string;
}

export interface StepChartProps {
  /** `ts` in milliseconds and a number or null per band and line. */
  rows: readonly ChartRow[];
  /** How long a row stands; the newest is drawn so wide. */
  stepMs: number;
  /** Stacked, first at the bottom. */
  bands: readonly ChartBand[];
  /** Drawn over the bands. */
  lines?: readonly ChartBand[];
  gaps: readonly Gap[];
  marks: readonly Mark[];
  fromMs: number;
  toMs: number;
  heightPx: number;
  zone: Zone;
  syncId?: string;
  onTooltip?: (isOpen: boolean) => void;
}

const AXIS = { fontSize: 12, fill: "var(--text-3)" };

/** Stacked step areas over time, with steps as lines above them; holes are hatched and say why. */
export default function StepChart(props: Readonly<StepChartProps>) {
  const { bands, gaps, marks, fromMs, zone } = props;
  const lines = props.lines ?? [];
  const rows = closedSteps(props.rows, props.stepMs);
  const toMs = axisEndMs(rows, props.toMs);
  return (
    <ResponsiveContainer width="100%" height={props.heightPx} minWidth={0}>
      <ComposedChart
        data={[...rows]}
        margin={{ top: 8, right: 8, bottom: 0, left: 0 }}
        {...(props.syncId ? { syncId: props.syncId, syncMethod: "value" as const } : {})}
        onMouseMove={() => props.onTooltip?.(true)}
        onMouseLeave={() => props.onTooltip?.(false)}
        accessibilityLayer
      >
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis
          dataKey="ts"
          type="number"
          domain={[fromMs, toMs]}
          ticks={roundTicks(fromMs, toMs)}
          tickFormatter={(ts: number) => formatMinute(ts, zone)}
          tick={AXIS}
          interval="preserveStart"
          minTickGap={16}
          stroke="var(--edge)"
          tickLine={false}
          allowDataOverflow
        />
        <YAxis
          tickCount={props.heightPx < 160 ? 3 : 5}
          width={44}
          tickFormatter={formatCount}
          tick={AXIS}
          stroke="var(--edge)"
          tickLine={false}
          axisLine={false}
          allowDecimals={false}
          domain={[0, "auto"]}
        />
        {gaps.map((gap) => (
          <ReferenceArea
            key={gap.fromMs}
            x1={gap.fromMs}
            x2={gap.toMs}
            fill="url(#gap)"
            fillOpacity={0.7}
            ifOverflow="hidden"
            {...(isWide(gap, toMs - fromMs) ? { label: { value: gap.reason, ...AXIS, fill: "var(--text-2)" } } : {})}
          />
        ))}
        {marks.map((mark) => (
          <ReferenceLine
            key={`${mark.tsMs} ${mark.label}`}
            x={mark.tsMs}
            stroke="var(--text-3)"
            strokeDasharray="2 3"
            ifOverflow="hidden"
          />
        ))}
        {bands.map((band) => (
          <Area
            key={band.key}
            dataKey={band.key}
            name={band.name}
            stackId="bands"
            type="stepAfter"
            connectNulls={false}
            isAnimationActive={false}
            stroke="var(--card)"
            strokeWidth={1}
            fill={band.color}
            fillOpacity={1}
            activeDot={false}
          />
        ))}
        {lines.map((line) => (
          <Line
            key={line.key}
            dataKey={line.key}
            name={line.name}
            type="stepAfter"
            connectNulls={false}
            isAnimationActive={false}
            dot={false}
            activeDot={false}
            stroke={line.color}
            strokeWidth={1.5}
          />
        ))}
        <Tooltip
          isAnimationActive={false}
          cursor={{ stroke: "var(--text-2)" }}
          content={<ChartTip zone={zone} marks={marks} />}
        />
      </ComposedChart>
    </ResponsiveContainer>
  );
}

/** Wide enough to carry its reason in words. */
function isWide(gap: Gap, spanMs: number): boolean {
  return (gap.toMs - gap.fromMs) / spanMs > 0.2;
}

interface TipEntry {
  readonly dataKey?: unknown;
  readonly name?: unknown;
  readonly value?: unknown;
  readonly color?: unknown;
  readonly fill?: unknown;
  readonly payload?: ChartRow;
}

interface ChartTipProps {
  active?: boolean;
  label?: unknown;
  payload?: readonly TipEntry[];
  zone: Zone;
  marks: readonly Mark[];
}

const NEAR_MARK_MS = 15_000;

function ChartTip({ active, label, payload, zone, marks }: Readonly<ChartTipProps>) {
  if (!active || typeof label !== "number" || !payload || payload.length === 0) return null;
  const sampleMs = payload[0]?.payload?.[SAMPLE_TS] ?? label;
  const near = marks.filter((mark) => Math.abs(mark.tsMs - label) < NEAR_MARK_MS);
  return (
    <div className="rounded-control border bg-card px-3 py-2 text-micro shadow-layer">
      <p className="num mb-1 text-text-2">{formatClock(sampleMs, zone)}</p>
      <ul>
        {[...payload].reverse().map((entry) => (
          <li key={String(entry.dataKey)} className="num flex items-center gap-2">
            <span
              className="size-2 rounded-[2px]"
              style={{ background: String(entry.fill ?? entry.color) }}
              aria-hidden="true"
            />
            <span className="name flex-1 pr-4">{String(entry.name)}</span>
            {typeof entry.value === "number" ? formatCount(entry.value) : "-"}
          </li>
        ))}
      </ul>
      {near.map((mark) => (
        <p key={mark.tsMs} className="mt-1 max-w-56 border-t pt-1 text-text-2">
          {mark.label}
        </p>
      ))}
    </div>
  );
}

const TICK_STEPS_MS = [60_000, 120_000, 300_000, 600_000, 900_000, 1_800_000, 3_600_000, 21_600_000, 86_400_000];
const MAX_TICKS = 8;

function roundTicks(fromMs: number, toMs: number): number[] {
  const step = TICK_STEPS_MS.find((candidate) => (toMs - fromMs) / candidate <= MAX_TICKS) ?? 86_400_000;
  const first = Math.ceil(fromMs / step) * step;
  return Array.from({ length: Math.max(0, Math.floor((toMs - first) / step) + 1) }, (_, index) => first + index * step);
}
