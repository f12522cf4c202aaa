import { cn } from "../../lib/cn";

interface UseBarProps {
  /** Slots with a request. */
  inFlight: number;
  /** Slots kept empty for a session. */
  held: number;
  /** Of those in use, the ones above a share. */
  borrowed: number;
  /** Slots there are: the whole width, unless more are in use. */
  size: number;
  /** Where a share ends, when the bar is one holder's. */
  share?: number;
  /** CSS colour of what is in use. */
  color?: string;
  /** Says in words what the bar shows. */
  label: string;
  className?: string;
}

/** Slots in use against what there is: solid within the share, hatched when borrowed, outlined when held. */
export function UseBar(props: Readonly<UseBarProps>) {
  const { inFlight, held, borrowed, size, share, label, className } = props;
  const color = props.color ?? "var(--open)";
  const used = inFlight + held;
  const whole = Math.max(size, used, share ?? 0, 1);
  const percent = (slots: number) => `${(Math.max(0, slots) / whole) * 100}%`;
  const solid = Math.max(0, used - borrowed);
  return (
    <svg role="img" aria-label={label} className={cn("block h-3 w-full overflow-visible rounded-sm", className)}>
      <rect width="100%" height="100%" rx="2" fill="var(--subtle)" />
      <rect width={percent(used)} height="100%" rx="2" fill={color} />
      {borrowed > 0 ? <rect x={percent(solid)} width={percent(borrowed)} height="100%" fill="url(#hatch)" /> : null}
      {held > 0 ? (
        <rect x={percent(inFlight)} y="2" width={percent(held)} height="8" fill="var(--card)" fillOpacity="0.75" />
      ) : null}
      {share !== undefined && share > used ? (
        <rect x={percent(used)} width={percent(share - used)} height="100%" fill="url(#dots)" />
      ) : null}
      {share !== undefined ? <rect x={percent(share)} y="-2" width="2" height="16" fill="var(--text)" /> : null}
      <rect width={percent(size)} height="100%" rx="2" fill="none" stroke="var(--edge)" strokeOpacity="0.6" />
    </svg>
  );
}
