import { toJson } from "../json-record";
import type { KeyRow } from "../queries/read-keys";

/** What can be set on a key. */
export interface KeyFields {
  readonly name: string;
  readonly weight: number;
  readonly maxInFlight: number | null;
  readonly budgetTokens: number | null;
  readonly budgetCostUsd: number | null;
  readonly budgetPeriod: "monthly" | "term" | "lifetime";
  readonly budgetStartedAt: Date | null;
  readonly disabled: boolean;
  readonly expiresAt: Date | null;
}
export type KeyPatch = { readonly [Name in keyof KeyFields]?: KeyFields[Name] | undefined };

export function keyFields(row: KeyFields): KeyFields {
  const { name, weight, maxInFlight, budgetTokens, budgetCostUsd, budgetPeriod, budgetStartedAt, disabled, expiresAt } =
    row;
  return { name, weight, maxInFlight, budgetTokens, budgetCostUsd, budgetPeriod, budgetStartedAt, disabled, expiresAt };
}

/** What the audit log keeps of a key; never anything of its secret but the prefix. */
export function keyAudit(row: KeyFields): Record<string, unknown> {
  return toJson(keyFields(row));
}

/** A key's name in the audit log: a key is known by its tenant too. */
export function keyTitle(row: Pick<KeyRow, "name" | "tenantName">): string {
  return `${row.name} of ${row.tenantName}`;
}
