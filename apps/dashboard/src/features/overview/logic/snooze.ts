/** Attention items put aside in this browser: until a time, or until they come back after having cleared. */

export interface Snooze {
  /** Null: until it comes back. */
  readonly untilMs: number | null;
  /** It has cleared since, so the next time it is new. */
  readonly hasCleared: boolean;
}

export type Snoozes = Readonly<Record<string, Snooze>>;

/** Snoozes after a look at what is there now: the expired and those that came back are gone. */
export function tidySnoozes(snoozes: Snoozes, present: readonly string[], nowMs: number): Snoozes {
  const there = new Set(present);
  const kept = Object.entries(snoozes).flatMap(([key, snooze]): [string, Snooze][] => {
    if (snooze.untilMs !== null) return snooze.untilMs > nowMs ? [[key, snooze]] : [];
    if (!there.has(key)) return [[key, { ...snooze, hasCleared: true }]];
    return snooze.hasCleared ? [] : [[key, snooze]];
  });
  return Object.fromEntries(kept);
}

/** Stored text as snoozes; anything malformed reads as none. */
export function parseSnoozes(text: string | null): Snoozes {
  try {
    const parsed: unknown = JSON.parse(text ?? "{}");
    if (typeof parsed !== "object" || parsed === null) return {};
    return Object.fromEntries(
      Object.entries(parsed).flatMap(([key, value]) => {
        const snooze = value as Partial<Snooze> | null;
        const untilMs = typeof snooze?.untilMs === "number" ? snooze.untilMs : null;
        return snooze === null ? [] : [[key, { untilMs, hasCleared: snooze.hasCleared === true }]];
      }),
    );
  } catch {
    return {};
  }
}
