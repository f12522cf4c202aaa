/** The management API's errors: the closed list of codes, the status each one answers with, and the envelope. */
import { z } from "zod";

export const ERROR_STATUS = {
  invalid_request: 400,
  invalid_json: 400,
  unauthorized: 401,
  wrong_credentials: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  already_exists: 409,
  group_not_empty: 409,
  last_admin: 409,
  changed_since: 409,
  not_reversible: 409,
  idempotency_mismatch: 409,
  stale_edit: 412,
  body_too_large: 413,
  unsupported_media_type: 415,
  too_many_attempts: 429,
  internal_error: 500,
  upstream_failed: 502,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

export const ERROR_CODES = Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]];

export const errorEnvelope = z
  .strictObject({
    error: z.strictObject({
      message: z.string().describe("What is wrong and what would be right, for a person."),
      type: z.literal("obleth_management_error"),
      code: z.enum(ERROR_CODES),
      field: z.string().optional().describe("Path of the field at fault, such as `weight` or `weekly_windows.0.day`."),
      request_id: z.string().optional(),
    }),
  })
  .meta({ id: "Error" });

export type ErrorEnvelope = z.infer<typeof errorEnvelope>;
