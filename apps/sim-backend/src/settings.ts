/**
 * What can be tuned, at start by flags and later through the control API. Values are checked once, here; the rest of
 * the backend reads a plain record.
 */
import { parseArgs } from "node:util";
import { type Checked, isRecord } from "./json";

export interface Settings {
  /** Same seed and same request: same answer. */
  readonly seed: number;
  /** Divides every wait; 1 is real time, 1000 makes a minute last 60 ms. */
  readonly speed: number;
  /** Time to first token that every request pays, in milliseconds. */
  readonly overheadMs: number;
  /** Prompt tokens read per second, beyond those found in the prefix cache. */
  readonly prefillTokensPerSec: number;
  /** Answer tokens per second and request while the backend is not crowded. */
  readonly decodeTokensPerSec: number;
  /** Requests of one model that run at full speed; past it each gets proportionally slower. */
  readonly knee: number;
  /** Prompt tokens each model's prefix cache holds; 0 turns it off. */
  readonly cacheTokens: number;
  /** Median length of an answer nobody limits, in tokens. */
  readonly outputTokensMedian: number;
  /** Spread of answer lengths: sigma of their logarithm. */
  readonly outputTokensSigma: number;
}

export const DEFAULT_SETTINGS: Settings = {
  seed: 1,
  speed: 1,
  overheadMs: 20,
  prefillTokensPerSec: 8000,
  decodeTokensPerSec: 50,
  knee: 16,
  cacheTokens: 200_000,
  outputTokensMedian: 120,
  outputTokensSigma: 0.6,
};

interface Range {
  readonly min: number;
  readonly max: number;
  readonly whole?: boolean;
}

const RANGES: Readonly<Record<keyof Settings, Range>> = {
  seed: { min: 0, max: 4_294_967_295, whole: true },
  speed: { min: 0.001, max: 1_000_000 },
  overheadMs: { min: 0, max: 600_000 },
  prefillTokensPerSec: { min: 1, max: 1e9 },
  decodeTokensPerSec: { min: 0.1, max: 1e9 },
  knee: { min: 1, max: 1_000_000, whole: true },
  cacheTokens: { min: 0, max: 100_000_000, whole: true },
  outputTokensMedian: { min: 1, max: 100_000 },
  outputTokensSigma: { min: 0, max: 3 },
};

/** `base` with the named settings replaced. An unknown name or a value out of range is a problem, never clamped. */
export function changeSettings(base: Settings, changes: unknown): Checked<Settings> {
  if (!isRecord(changes)) return { ok: false, problem: "settings must be an object" };
  const next: Record<string, number> = { ...base };
  for (const [name, value] of Object.entries(changes)) {
    if (!isSettingName(name)) return { ok: false, problem: `unknown setting ${name}` };
    const range = RANGES[name];
    if (typeof value !== "number" || !(value >= range.min && value <= range.max)) {
      return { ok: false, problem: `${name} must be a number from ${range.min} to ${range.max}` };
    }
    if (range.whole === true && !Number.isInteger(value)) return { ok: false, problem: `${name} must be whole` };
    next[name] = value;
  }
  return { ok: true, value: { ...base, ...next } };
}

function isSettingName(name: string): name is keyof Settings {
  return Object.hasOwn(RANGES, name);
}

export interface StartOptions {
  readonly host: string;
  readonly port: number;
  /** Names listed by `/v1/models`. Any other name is answered too. */
  readonly models: readonly string[];
  /** When set, requests must carry it as a bearer token or `x-api-key`. */
  readonly apiKey: string | null;
  readonly settings: Settings;
}

/** Reads the command line: `--host --port --models a,b --api-key`, and one flag per setting such as `--decode-tokens-per-sec`. */
export function readFlags(argv: readonly string[]): Checked<StartOptions> {
  const settingFlags = Object.keys(RANGES).map((name) => [kebab(name), name] as const);
  const options: Record<string, { type: "string" }> = {};
  for (const name of ["host", "port", "models", "api-key", ...settingFlags.map(([flag]) => flag)]) {
    options[name] = { type: "string" };
  }
  let values: Record<string, string | boolean | undefined>;
  try {
    values = parseArgs({ args: [...argv], options, strict: true }).values;
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error) };
  }
  const text = (name: string, otherwise: string) => (typeof values[name] === "string" ? values[name] : otherwise);
  const port = Number(text("port", "9200"));
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    return { ok: false, problem: "--port must be a whole number from 0 to 65535" };
  }
  const changes: Record<string, number> = {};
  for (const [flag, name] of settingFlags) {
    if (typeof values[flag] === "string") changes[name] = Number(values[flag]);
  }
  const settings = changeSettings(DEFAULT_SETTINGS, changes);
  if (!settings.ok) return settings;
  const models = text("models", "sim-chat").split(",");
  return {
    ok: true,
    value: {
      host: text("host", "127.0.0.1"),
      port,
      models: models.map((name) => name.trim()).filter((name) => name !== ""),
      apiKey: text("api-key", "") || null,
      settings: settings.value,
    },
  };
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
