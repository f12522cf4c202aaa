import type { SlotTable } from "../../src/slots/slot-table";

/** Totals as the parts and the held sessions give them. */
export function sumsOf(table: SlotTable): Map<string, number> {
  const result = new Map<string, number>();
  const add = (limit: string) => result.set(limit, (result.get(limit) ?? 0) + 1);
  for (const instance of table.replicas.keys()) {
    for (const [limit, count] of table.heldBy(instance) ?? []) result.set(limit, (result.get(limit) ?? 0) + count);
  }
  for (const id of table.holds.keys()) {
    const [pool = "", tenant = "", key = ""] = id.split("|");
    for (const limit of ["g", `p|${pool}`, `t|${pool}|${tenant}`, `k|${pool}|${key}`, `h|${pool}`, "H"]) add(limit);
  }
  return result;
}
