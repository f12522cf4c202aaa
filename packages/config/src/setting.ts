/**
 * What one setting is: its variable, its default with unit and reason, what it accepts, and how its text becomes a
 * value. Each kind of value has one constructor here, so every variable of a kind accepts the same spellings. A blank
 * value reads as unset, because compose files and charts write empty strings for what they leave out.
 */
import { z } from "zod";

/** Where a value may leak: not at all secret, secret as a whole, or an address that may carry a password. */
export type Secrecy = "open" | "secret" | "address";

export interface Setting<Value> {
  readonly env: `OBLETH_${string}`;
  readonly unit: string | null;
  /** The default as text for `.env.example` and the settings page; null when unset is the default. */
  readonly defaultText: string | null;
  /** What is accepted, as it stands in the list of problems. */
  readonly allowed: string;
  /** What it decides and why the default is what it is; one to three sentences. */
  readonly about: string;
  readonly secrecy: Secrecy;
  /** True where an unusable value reads as the default instead of stopping the start. */
  readonly isLenient: boolean;
  readonly schema: z.ZodType<Value, string | undefined>;
}

interface Described {
  readonly unit?: string;
  readonly about: string;
}

interface Reading<Value> extends Described {
  readonly defaultText: string | null;
  readonly allowed: string;
  readonly secrecy?: Secrecy;
  readonly isLenient?: boolean;
  readonly whenUnset: Value;
  /** The value, or undefined when the text is not allowed. `raw` is trimmed and not empty. */
  readonly read: (raw: string) => Value | undefined;
}

export interface ListenAddress {
  /** Without the brackets of an IPv6 address. */
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
}

export interface NumberRange extends Described {
  readonly default: number;
  readonly min: number;
  readonly max: number;
  /** Unusable values read as the default. */
  readonly isLenient?: boolean;
}

/** Seconds in a day, the longest that a time limit may be. */
export const DAY_SECS = 86_400;

/** What an address must begin with where HTTP is spoken. */
export const HTTP = { schemes: ["http", "https"] };

export function integer(env: Setting<number>["env"], range: NumberRange): Setting<number> {
  const read = (raw: string) => {
    const value = /^\d+$/.test(raw) ? Number(raw) : Number.NaN;
    return value >= range.min && value <= range.max ? value : undefined;
  };
  return make(env, {
    ...range,
    whenUnset: range.default,
    defaultText: String(range.default),
    allowed: `whole number from ${range.min} to ${range.max}`,
    read,
  });
}

const TRUE = new Set(["1", "true", "yes", "on"]);
const FALSE = new Set(["0", "false", "no", "off"]);

export function flag(env: Setting<boolean>["env"], options: Described & { default: boolean }): Setting<boolean> {
  return make(env, {
    ...options,
    whenUnset: options.default,
    defaultText: String(options.default),
    allowed: "1, true, yes, on, 0, false, no or off",
    read: (raw) => (TRUE.has(raw.toLowerCase()) ? true : FALSE.has(raw.toLowerCase()) ? false : undefined),
  });
}

export function choice<const Value extends string>(
  env: Setting<Value>["env"],
  options: Described & { default: Value; of: readonly Value[] },
): Setting<Value> {
  return make<Value>(env, {
    ...options,
    whenUnset: options.default,
    defaultText: options.default,
    allowed: options.of.join(" or "),
    read: (raw) => options.of.find((one) => one === raw.toLowerCase()),
  });
}

export function text(
  env: Setting<string>["env"],
  options: Described & { default: string; allowed: string; pattern: RegExp },
): Setting<string> {
  return make(env, {
    ...options,
    whenUnset: options.default,
    defaultText: options.default,
    read: (raw) => (options.pattern.test(raw) ? raw : undefined),
  });
}

export function optionalText(
  env: Setting<string | null>["env"],
  options: Described & { allowed: string; pattern: RegExp; secrecy?: Secrecy },
): Setting<string | null> {
  return make<string | null>(env, {
    ...options,
    whenUnset: null,
    defaultText: null,
    read: (raw) => (options.pattern.test(raw) ? raw : undefined),
  });
}

/** A secret of at least `minLength` characters; null when unset. */
export function secret(
  env: Setting<string | null>["env"],
  options: Described & { minLength: number },
): Setting<string | null> {
  return make<string | null>(env, {
    ...options,
    whenUnset: null,
    defaultText: null,
    secrecy: "secret",
    allowed: `at least ${options.minLength} characters, without spaces`,
    read: (raw) => (raw.length >= options.minLength && !/\s/.test(raw) ? raw : undefined),
  });
}

export interface AddressOptions extends Described {
  /** Accepted schemes, without the colon. */
  readonly schemes: readonly string[];
}

/** An absolute URL without a trailing slash; null when unset. */
export function optionalUrl(env: Setting<string | null>["env"], options: AddressOptions): Setting<string | null> {
  return make<string | null>(env, { ...options, ...urlReading(options), whenUnset: null, defaultText: null });
}

export function url(env: Setting<string>["env"], options: AddressOptions & { default: string }): Setting<string> {
  return make(env, { ...options, ...urlReading(options), whenUnset: options.default, defaultText: options.default });
}

function urlReading(options: AddressOptions) {
  const schemes = options.schemes.map((scheme) => `${scheme}://`);
  return {
    allowed: `address that begins with ${schemes.join(" or ")}`,
    secrecy: "address" as const,
    read: (raw: string) =>
      schemes.some((scheme) => raw.startsWith(scheme)) && URL.canParse(raw) ? raw.replace(/\/+$/, "") : undefined,
  };
}

/** `host:port`, the host an address, a name or a bracketed IPv6 address. */
export function listen(
  env: Setting<ListenAddress>["env"],
  options: Described & { default: string },
): Setting<ListenAddress> {
  const whenUnset = parseListen(options.default);
  if (whenUnset === undefined) throw new TypeError(`${env}: the default is not an address`);
  return make(env, {
    ...options,
    whenUnset,
    defaultText: options.default,
    allowed: "host:port, for example 127.0.0.1:8080, 0.0.0.0:8080 or [::1]:8080; port 0 takes a free one",
    read: parseListen,
  });
}

/** Comma-separated items; an empty list when unset. */
export function list(
  env: Setting<readonly string[]>["env"],
  options: Described & { allowed: string; pattern: RegExp },
): Setting<readonly string[]> {
  return make<readonly string[]>(env, {
    ...options,
    whenUnset: [],
    defaultText: null,
    read: (raw) => {
      const items = raw.split(",").map((item) => item.trim());
      return items.every((item) => options.pattern.test(item)) ? items : undefined;
    },
  });
}

function parseListen(raw: string): ListenAddress | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+)):(\d{1,5})$/.exec(raw);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  return host === undefined || !(port <= 65_535) ? undefined : { host, port };
}

function make<Value>(env: Setting<Value>["env"], reading: Reading<Value>): Setting<Value> {
  const isLenient = reading.isLenient ?? false;
  const schema = z
    .string()
    .optional()
    .transform((given, context): Value => {
      const raw = given?.trim() ?? "";
      if (raw === "") return reading.whenUnset;
      const value = reading.read(raw);
      if (value !== undefined) return value;
      if (isLenient) return reading.whenUnset;
      context.addIssue({ code: "custom", message: reading.allowed });
      return z.NEVER;
    });
  return {
    env,
    unit: reading.unit ?? null,
    defaultText: reading.defaultText,
    allowed: reading.allowed,
    about: reading.about,
    secrecy: reading.secrecy ?? "open",
    isLenient,
    schema,
  };
}
