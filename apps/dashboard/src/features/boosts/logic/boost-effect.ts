/** What a boost does at this moment, read from the preview of taking it away. */
import { formatExact, listWords, plural, slotCount } from "../../../lib/format";

interface PartWithout {
  readonly tenant_id: string;
  readonly name: string;
  readonly slots_before: number;
  readonly slots_after: number;
}

interface PoolWithout {
  readonly pool: string;
  readonly tenants: readonly PartWithout[];
}

const NAMED = 2;

/** "4 slots more; web pays 3, api 1", or that it moves nothing. `without` is the split after the boost's end. */
export function effectWords(without: readonly PoolWithout[], tenantId: string): string {
  const paid = new Map<string, number>();
  let gained = 0;
  for (const part of without.flatMap((pool) => pool.tenants)) {
    const more = part.slots_before - part.slots_after;
    if (part.tenant_id === tenantId) gained += more;
    else if (more < 0) paid.set(part.name, (paid.get(part.name) ?? 0) - more);
  }
  if (gained <= 0) return "no slot at the moment";
  const payers = [...paid].sort((a, b) => b[1] - a[1]);
  const named = payers.slice(0, NAMED).map(([name, slots]) => `${name} ${formatExact(slots)}`);
  const rest = payers.length > NAMED ? [plural(payers.length - NAMED, "other")] : [];
  return `${slotCount(gained)} more; paid by ${listWords([...named, ...rest])}`;
}
