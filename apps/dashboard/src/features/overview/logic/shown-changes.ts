/** The newest changes worth a line on the overview; who signed in is in the audit. */
import type { AuditRow } from "../../../queries/wire";

const SHOWN = 5;
const HIDDEN_OBJECTS: ReadonlySet<string> = new Set(["session"]);

export function shownChanges(rows: readonly AuditRow[]): AuditRow[] {
  return rows.filter((row) => !HIDDEN_OBJECTS.has(row.object.type)).slice(0, SHOWN);
}
