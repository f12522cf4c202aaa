/** A question about usage as SQL that a person can run: the page shows it, so that numbers can be checked. */
import type { UsageDimension, UsageFilter } from "@obleth/db";

const COLUMN: Readonly<Record<UsageDimension, string>> = {
  tenant: "tenant_id",
  key: "key_id",
  model: "model",
  group: "groups.name",
  admission: "admission",
  outcome: "outcome",
};

export function questionSql(filter: UsageFilter, by: readonly UsageDimension[]): string {
  const needsGroup = by.includes("group") || filter.group !== undefined;
  const columns = by.map((name) => COLUMN[name]).join(", ");
  const conditions = [
    `ts_ms >= ${filter.fromMs}`,
    `ts_ms < ${filter.toMs}`,
    ...Object.entries({
      tenant_id: filter.tenantId,
      key_id: filter.keyId,
      model: filter.model,
      "groups.name": filter.group,
      admission: filter.admission,
      outcome: filter.outcome,
    }).flatMap(([column, value]) => (value === undefined ? [] : [`${column} = ${literal(value)}`])),
  ];
  return [
    `SELECT ${columns}, count(*) AS requests, avg(queue_wait_ms) AS avg_wait_ms`,
    "FROM usage",
    ...(needsGroup
      ? ["LEFT JOIN tenants ON tenants.id = usage.tenant_id", "LEFT JOIN groups ON groups.id = tenants.group_id"]
      : []),
    `WHERE ${conditions.join("\n  AND ")}`,
    `GROUP BY ${columns}`,
    "ORDER BY requests DESC",
  ].join("\n");
}

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;
