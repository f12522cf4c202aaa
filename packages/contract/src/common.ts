/** Pieces that several resources share: names, weights, caps, times and paging, each with its bounds. */
import { z } from "zod";
import { MAX_SLOTS, MAX_TOKENS, MAX_USD, MAX_WEIGHT } from "./bounds";

/**
 * No control characters, no halves of a character, no space at either end, something that can be seen, and not a path's
 * `.` or `..`.
 */
const NAME_PATTERN = /^(?!\.{1,2}$)(?!\s)(?=.*[^\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{M}])[^\p{Cc}\p{Cs}]+(?<!\s)$/u;
/** Any line of text that Postgres and a page can show. */
const TEXT_PATTERN = /^(?:[^\p{Cc}\p{Cs}]|[\t\n\r])*$/u;

export const objectName = z
  .string()
  .min(1)
  .max(200)
  .regex(
    NAME_PATTERN,
    "must have something to see, no control characters and no spaces at its ends, and must not be . or ..",
  );

export const freeText = z.string().max(2000).regex(TEXT_PATTERN, "must not have control characters in it");

/** One line of text to look for. */
export const line = z
  .string()
  .min(1)
  .max(400)
  .regex(/^[^\p{Cc}\p{Cs}]+$/u, "must not have control characters");

/** A path parameter that is an id or a name; anything else is simply not found. */
export const idOrName = line.describe("An id or a name.");
export const uuid = z.uuid();

export const weight = z.int().min(1).max(MAX_WEIGHT).describe("Whole number from 1 to 1,000,000; only ratios matter.");
export const slots = z.int().min(1).max(MAX_SLOTS);
export const cap = slots.nullable().describe("Most slots in one pool, from 1; null for no cap.");
export const count = z.int().min(0);
export const tokens = z.int().min(0).max(MAX_TOKENS);
export const usd = z.number().min(0).max(MAX_USD);

const isStorable = (text: string) => {
  const ms = Date.parse(text);
  return ms >= 0 && ms < 253_370_764_800_000;
};

/** An instant with its zone; years 1970 to 9998. */
export const isoTime = z.iso
  .datetime({ offset: true, error: "must be a time with a zone, such as 2026-11-30T09:00:00Z" })
  .refine(isStorable, "must lie between 1970 and 9998");
/** An instant as every answer gives it: ISO 8601, UTC, ending in Z. */
export const isoTimeOut = z.iso.datetime();
/** Milliseconds of the Unix epoch. */
export const tsMs = z.int().min(0).max(253_370_764_799_999);

export const version = z.int().min(1).describe("Rises with every change; the ETag of the object.");

export const sortDirection = z.enum(["asc", "desc"]);

/** How many rows of a list to give, and from where. */
export const paging = {
  limit: z.int().min(1).max(500).default(100),
  cursor: z.string().min(1).max(2000).optional().describe("`next_cursor` of the answer before."),
  dir: sortDirection.default("asc"),
};

/** A page of a list. */
export function page<Item extends z.ZodType>(item: Item) {
  return z.strictObject({
    items: z.array(item),
    next_cursor: z.string().nullable().describe("Null on the last page."),
    total: count.describe("Rows that match, over all pages."),
  });
}

/** `?dry_run=true`: check everything, write nothing. */
export const dryRun = {
  dry_run: z.boolean().default(false).describe("Checks the change and shows what would move; writes nothing."),
};

export const textSearch = z
  .string()
  .min(1)
  .max(200)
  .regex(TEXT_PATTERN, "must not have control characters in it")
  .optional()
  .describe("Text to look for, in any case; `%` and `_` mean themselves.");

/**
 * A map from free names to values. Unlike a record it keeps every own key, `__proto__` included, so a group may have
 * any name.
 */
export function nameMap<Value extends z.ZodType>(value: Value, options: { maxKeys: number }) {
  return z
    .custom<Record<string, z.input<Value>>>(
      (input) => typeof input === "object" && input !== null && !Array.isArray(input),
      {
        error: "must be an object",
      },
    )
    .superRefine((map, context) => {
      const entries = Object.entries(map);
      if (entries.length === 0 || entries.length > options.maxKeys) {
        context.addIssue({ code: "custom", message: `must have 1 to ${options.maxKeys} entries` });
      }
      for (const [name, entry] of entries) {
        const parsed = value.safeParse(entry);
        for (const issue of parsed.error?.issues ?? []) {
          context.addIssue({ code: "custom", message: issue.message, path: [name, ...issue.path] });
        }
      }
    })
    .meta({ type: "object", additionalProperties: true });
}
