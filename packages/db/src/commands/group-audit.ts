import { toJson } from "../json-record";
import type { GroupRow } from "../queries/read-groups";

/** What the audit log keeps of a group: all that can be set. */
export function groupAudit({ name, weight, color }: GroupRow): Record<string, unknown> {
  return toJson({ name, weight, color });
}
