/**
 * An independent, slow and literal reading of the slot split, for tests only. Quotas are exact fractions of big
 * integers; each left-over slot and each lift looks at everybody again. It shares no code with the split it checks.
 */
export interface Taker {
  readonly id: string;
  readonly weight: number;
  readonly score: number;
}

export function apportionByHand(slots: number, takers: readonly Taker[]): number[] {
  const total = takers.reduce((sum, taker) => sum + BigInt(taker.weight), 0n);
  if (takers.length === 0) return [];
  const quotaTimesTotal = takers.map((taker) => BigInt(slots) * BigInt(taker.weight));
  const parts = quotaTimesTotal.map((quota) => quota / total);
  const sum = () => parts.reduce((a, b) => a + b, 0n);
  const got = new Set<number>();
  while (sum() < BigInt(slots)) {
    let best = -1;
    for (let i = 0; i < takers.length; i++) {
      if (got.has(i)) continue;
      if (best < 0 || isBetterClaim(i, best)) best = i;
    }
    got.add(best);
    parts[best] = (parts[best] as bigint) + 1n;
  }
  if (slots >= takers.length) {
    for (;;) {
      const poor = parts.indexOf(0n);
      if (poor < 0) break;
      let payer = -1;
      for (let i = 0; i < takers.length; i++) {
        if ((parts[i] as bigint) <= 1n) continue;
        if (payer < 0 || paysBefore(i, payer)) payer = i;
      }
      parts[payer] = (parts[payer] as bigint) - 1n;
      parts[poor] = 1n;
    }
  }
  return parts.map(Number);

  function isBetterClaim(i: number, j: number): boolean {
    const ri = (quotaTimesTotal[i] as bigint) % total;
    const rj = (quotaTimesTotal[j] as bigint) % total;
    return ri === rj ? comesFirst(i, j) : ri > rj;
  }

  function paysBefore(i: number, j: number): boolean {
    const above = (k: number) => (parts[k] as bigint) * total - (quotaTimesTotal[k] as bigint);
    return above(i) === above(j) ? comesFirst(j, i) : above(i) > above(j);
  }

  function comesFirst(i: number, j: number): boolean {
    const a = takers[i] as Taker;
    const b = takers[j] as Taker;
    if (a.score !== b.score) return a.score < b.score;
    if (a.weight !== b.weight) return a.weight > b.weight;
    return a.id < b.id;
  }
}
