/**
 * Repeatable pseudo-randomness. Everything the backend makes up (texts, lengths, vectors) comes from a seed and the
 * request, never from arrival order, so the same request gets the same answer however many run beside it.
 */

/** A 32-bit FNV-1a hash of `text`, continued from `from`. Not for secrets. */
export function hash32(text: string, from = 0x811c9dc5): number {
  let hash = from >>> 0;
  for (let i = 0; i < text.length; i++) {
    hash ^= text.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  return hash >>> 0;
}

/** Numbers in [0, 1), the same sequence for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A log-normal draw with this median; `sigma` 0 gives the median itself. */
export function logNormal(random: () => number, shape: { median: number; sigma: number }): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random()));
  return shape.median * Math.exp(shape.sigma * radius * Math.cos(2 * Math.PI * random()));
}
