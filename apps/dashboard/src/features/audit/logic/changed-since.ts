/** Which changes cannot be put back because what they made has been changed again. */
import { type AuditFacts, fieldChanges } from "../../../lib/audit-words";

interface Change extends AuditFacts {
  readonly id: number;
}

/**
 * By the change's id, what stands in its way: "weight is 200 now, not 150". Of rows with the newest first; what is not
 * among them is not known, and the gateway has the last word.
 */
export function changedSince(rows: readonly Change[]): ReadonlyMap<number, string> {
  const now = new Map<string, Map<string, string>>();
  const found = new Map<number, string>();
  for (const row of rows) {
    const object = `${row.object.type} ${row.object.id} ${row.object.name}`;
    const known = now.get(object) ?? new Map<string, string>();
    now.set(object, known);
    for (const { field, to } of fieldChanges(row)) {
      const current = known.get(field);
      if (current === undefined) known.set(field, to);
      else if (current !== to && !found.has(row.id)) found.set(row.id, `${field} is ${current} now, not ${to}`);
    }
  }
  return found;
}
