import { AUDIT_OBJECTS } from "@obleth/contract/audit-objects";
import { parseAsString, parseAsStringLiteral } from "nuqs";

const HOUR_MS = 3_600_000;
export const AUDIT_RANGES = { "1h": HOUR_MS, "24h": 24 * HOUR_MS, "7d": 168 * HOUR_MS } as const;

const replace = { history: "replace" as const };

/** The address of the audit. */
export const auditParams = {
  q: parseAsString.withDefault("").withOptions({ ...replace, throttleMs: 300 }),
  kind: parseAsStringLiteral(AUDIT_OBJECTS).withOptions(replace),
  actor: parseAsString.withOptions(replace),
  object: parseAsString.withOptions(replace),
  range: parseAsStringLiteral(["1h", "24h", "7d"]).withOptions(replace),
};
