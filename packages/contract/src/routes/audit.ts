/** What was changed, and putting it back. */
import { z } from "zod";
import { auditPage, auditQuery, auditRow } from "../audit";
import { type RouteTable, read, writing } from "../route-spec";

export const auditRoutes = {
  listAudit: { tag: "Audit", summary: "Changes, newest first", ...read, query: auditQuery, response: auditPage },
  revertAudit: {
    tag: "Audit",
    summary: "Put a change back",
    role: "admin",
    status: 200,
    params: z.strictObject({ id: z.int().min(1).max(Number.MAX_SAFE_INTEGER) }),
    query: writing,
    dryRun: true,
    response: auditRow,
    errors: ["not_found", "changed_since", "not_reversible"],
  },
} as const satisfies RouteTable;
