/**
 * What is being typed about one object: only what was touched, and the version it was begun on. Everything else follows
 * the object, so that a save puts back nothing that somebody else changed meanwhile.
 */
export interface Kept<Draft extends object> {
  readonly touched: Partial<Draft>;
  readonly etag: string | null;
}

/** An object as a form shows it, and which version of it that is. */
export interface Begun<Draft extends object> {
  readonly initial: Draft;
  readonly etag: string | null;
}

/** The draft after a change; null once it says what the object says. */
export function keepTouched<Draft extends object>(
  kept: Kept<Draft> | null,
  next: Draft,
  { initial, etag }: Begun<Draft>,
): Kept<Draft> | null {
  const names = (Object.keys(next) as (keyof Draft)[]).filter((name) => next[name] !== initial[name]);
  if (names.length === 0) return null;
  const touched: Partial<Draft> = {};
  for (const name of names) touched[name] = next[name];
  return { touched, etag: kept === null ? etag : kept.etag };
}

/** What is left of a draft once so much of it is saved: what was typed meanwhile. */
export function withoutSaved<Draft extends object>(
  kept: Kept<Draft> | null,
  saved: Partial<Draft>,
): Kept<Draft> | null {
  if (kept === null) return null;
  const names = (Object.keys(kept.touched) as (keyof Draft)[]).filter((name) => kept.touched[name] !== saved[name]);
  if (names.length === 0) return null;
  const touched: Partial<Draft> = {};
  for (const name of names) touched[name] = kept.touched[name];
  return { touched, etag: kept.etag };
}

/** What a save names as the version it was made from: the one the draft was begun on, or what its own last save made of it. */
export function versionToName(
  kept: { readonly etag: string | null } | null,
  { now, lastSaved }: { readonly now: string | null; readonly lastSaved: string | null },
): string | null {
  return kept === null || kept.etag === lastSaved ? now : kept.etag;
}
