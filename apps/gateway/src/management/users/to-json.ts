import type { User } from "@obleth/contract";
import { toJson, type UserRow } from "@obleth/db";

export function userJson(row: UserRow): User {
  const { last_sign_in_at, ...json } = toJson(row);
  return { ...json, last_sign_in_ts_ms: last_sign_in_at === null ? null : Date.parse(last_sign_in_at) };
}
