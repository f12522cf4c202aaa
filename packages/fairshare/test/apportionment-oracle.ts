/**
 * An independent, slow and literal reading of the slot split, for tests only. Quotas are whole multiples of 1 / total
 * (exact while slots x weight stays below 2^53); each left-over slot and each lift looks at everybody again. It shares
 * no code with the split it checks.
 */
export interface Taker {
  readonly id: string;
  readonly weight: number;
  readonly score: number;
}

export function apportionByHand(slots: number, takers: readonly Taker[], { lift = true } = {}): number[] {
  const total = takers.reduce((sum, taker) => sum + taker.weight, 0);
  if (takers.length === 0) return [];
  const quotaTimesTotal = takers.map((taker) => slots * taker.weight);
  const parts = quotaTimesTotal.map((quota) => (quota - (quota % total)) / total);
  const sum = () => parts.reduce((a, b) => a + b, 0);
  const got = new Set<number>();
  while (sum() < slots) {
    let best = -1;
    for (let i = 0; i < takers.length; i++) {
      if (got.has(i)) continue;
      if (best < 0 || isBetterClaim(i, best)) best = i;
    }
    got.add(best);
    parts[best] = (parts[best] as number) + 1;
  }
  if (lift && slots >= takers.length) {
    for (;;) {
      const poor = parts.indexOf(0);
      if (poor < 0) break;
      let payer = -1;
      for (let i = 0; i < takers.length; i++) {
        if ((parts[i] as number) <= 1) continue;
        if (payer < 0 || paysBefore(i, payer)) payer = i;
      }
      parts[payer] = (parts[payer] as number) - 1;
      parts[poor] = 1;
    }
  }
  return parts;

  function isBetterClaim(i: number, j: number): boolean {
    const ri = (quotaTimesTotal[i] as number) % total;
    const rj = (quotaTimesTotal[j] as number) % total;
    return ri === rj ? comesFirst(i, j) : ri > rj;
  }

  function paysBefore(i: number, j: number): boolean {
    const above = (k: number) => (parts[k] as number) * total - (quotaTimesTotal[k] as number);
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
