/** One measured figure with what it is held against, as every suite writes it. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The same measure of what stands beside it; null when nothing does. */
  readonly beside: number | null;
  /** value / beside. */
  readonly ratio: number | null;
  /** In words: "<= 227.5". Null for a figure that is only shown. */
  readonly target: string | null;
  readonly holds: boolean | null;
  readonly stretch: string | null;
  readonly holds_stretch: boolean | null;
  /** Relative spread between rounds, (largest - smallest) / median; 0 for what is exact. */
  readonly spread: number;
}

/** A figure that repeats exactly, held against a limit. */
export function exactFigure(
  name: string,
  value: number,
  given: { unit: string; atMost?: number; atLeast?: number; beside?: number },
): Figure {
  const { unit, atMost, atLeast, beside = null } = given;
  const limits = [
    ...(atLeast === undefined ? [] : [`>= ${atLeast}`]),
    ...(atMost === undefined ? [] : [`<= ${atMost}`]),
  ];
  const holds = (atMost === undefined || value <= atMost) && (atLeast === undefined || value >= atLeast);
  return {
    name,
    value,
    unit,
    beside,
    ratio: beside === null || beside === 0 ? null : value / beside,
    target: limits.length === 0 ? null : limits.join(", "),
    holds: limits.length === 0 ? null : holds,
    stretch: null,
    holds_stretch: null,
    spread: 0,
  };
}
