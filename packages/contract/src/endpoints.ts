/** A model's endpoints: where its requests go. Credentials and header values are written, never read. */
import { z } from "zod";
import { MAX_PRIORITY, MAX_WEIGHT } from "./bounds";
import { cap, count, isoTimeOut, line, objectName, uuid, version } from "./common";

export const PROTOCOLS = ["openai", "anthropic"] as const;
export const ENDPOINT_STATES = ["unknown", "healthy", "unhealthy", "ejected", "disabled"] as const;

const isWebUrl = (text: string) => {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return (
    (url.protocol === "http:" || url.protocol === "https:") &&
    url.username === "" &&
    url.password === "" &&
    url.search === "" &&
    url.hash === ""
  );
};

/** An http or https address up to and including `/v1`. */
export const apiBase = z
  .string()
  .min(1)
  .max(2000)
  .regex(/^[^\p{Cc}\p{Cs}\s]+$/u, "must not have spaces or control characters")
  .refine(isWebUrl, "must be an http or https address without user, password, query or fragment");

/** Bytes that a header may carry; empty is refused, null clears. */
export const credential = z
  .string()
  .min(1)
  .max(8192)
  .regex(/^[\x21-\x7e]+$/, "must be printable ASCII without spaces");

const RESERVED_HEADERS = new Set([
  "host",
  "content-length",
  "transfer-encoding",
  "connection",
  "upgrade",
  "te",
  "expect",
]);
const headerValue = z
  .string()
  .max(8192)
  .regex(/^[\x20-\x7e]*$/, "must be printable ASCII")
  .nullable();

/** Header name to value; a null value keeps the stored one. */
const headers = z
  .custom<Record<string, string | null>>(
    (input) => typeof input === "object" && input !== null && !Array.isArray(input),
    {
      error: "must be an object",
    },
  )
  .superRefine((map, context) => {
    const entries = Object.entries(map);
    if (entries.length > 50) context.addIssue({ code: "custom", message: "must have at most 50 entries" });
    for (const [name, value] of entries) {
      const isName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/.test(name) && !RESERVED_HEADERS.has(name.toLowerCase());
      if (!isName) context.addIssue({ code: "custom", message: "is not a header that may be set", path: [name] });
      const issue = headerValue.safeParse(value).error?.issues[0];
      if (issue !== undefined) context.addIssue({ code: "custom", message: issue.message, path: [name] });
    }
  })
  .meta({ type: "object", additionalProperties: { type: ["string", "null"] } })
  .describe("Extra request headers. Values are never read back: they show as null, and null keeps the stored value.");

export const endpointHealth = z
  .strictObject({
    state: z.enum(ENDPOINT_STATES),
    checked_at: isoTimeOut.nullable(),
    message: z.string().nullable(),
  })
  .meta({ id: "EndpointHealth" });
export type EndpointHealth = z.infer<typeof endpointHealth>;

export const endpoint = z
  .strictObject({
    id: uuid,
    model_id: uuid,
    name: z.string(),
    api_base: z.string(),
    protocol: z.enum(PROTOCOLS),
    upstream_model: z.string().nullable(),
    api_key_set: z.boolean(),
    headers: z.record(z.string(), z.null()),
    weight: z.int(),
    priority: z.int(),
    max_in_flight: z.int().nullable(),
    enabled: z.boolean(),
    health: endpointHealth,
    created_at: isoTimeOut,
    updated_at: isoTimeOut,
    version,
  })
  .meta({ id: "Endpoint" });
export type Endpoint = z.infer<typeof endpoint>;

const settable = {
  name: objectName,
  api_base: apiBase,
  protocol: z.enum(PROTOCOLS),
  upstream_model: objectName.nullable().describe("The name the upstream uses; null: the model's own."),
  api_key: credential.nullable().describe("Written, never read; null removes it."),
  headers,
  weight: z.int().min(1).max(MAX_WEIGHT),
  priority: z.int().min(0).max(MAX_PRIORITY).describe("Lower goes first."),
  max_in_flight: cap,
  enabled: z.boolean(),
};

export const endpointCreate = z.strictObject({
  name: settable.name.optional().describe("Left out: `endpoint-1` and so on."),
  api_base: settable.api_base,
  protocol: settable.protocol.default("openai"),
  upstream_model: settable.upstream_model.default(null),
  api_key: settable.api_key.optional(),
  headers: settable.headers.optional(),
  weight: settable.weight.default(1),
  priority: settable.priority.default(0),
  max_in_flight: settable.max_in_flight.default(null),
  enabled: settable.enabled.default(true),
});
const sealed = z
  .string()
  .min(1)
  .max(20_000)
  .regex(/^v\d\.[\w-]+$/, "must be a sealed value of an export");

/** An endpoint in a configuration file; what is sealed opens only under the encryption key it was sealed with. */
export const configEndpoint = z.strictObject({
  id: uuid,
  name: settable.name,
  api_base: settable.api_base,
  protocol: settable.protocol,
  upstream_model: settable.upstream_model,
  api_key_sealed: sealed.nullable(),
  headers_sealed: z.array(z.tuple([line.max(200), sealed])).max(50),
  weight: settable.weight,
  priority: settable.priority,
  max_in_flight: settable.max_in_flight,
  enabled: settable.enabled,
});
export const endpointPatch = z.strictObject(settable).partial();
export const endpointList = z.strictObject({ items: z.array(endpoint) });
export const endpointCheck = z
  .strictObject({
    ok: z.boolean(),
    status: z.int().nullable().describe("HTTP status of the upstream's answer; null when there was none."),
    duration_ms: count,
    message: z.string(),
    health: endpointHealth,
  })
  .meta({ id: "EndpointCheck" });
export type EndpointCheck = z.infer<typeof endpointCheck>;
