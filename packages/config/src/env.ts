/**
 * Turns environment variables into one frozen record, or into the full list of what is wrong with them. The only place
 * of the gateway that reads `process.env`; the dashboard's server and the command line have settings of their own.
 */
import { z } from "zod";
import { SETTINGS } from "./defaults";
import { masked } from "./mask";
import { nearest } from "./nearest";
import type { Setting } from "./setting";

type Value<S> = S extends Setting<infer V> ? V : never;

/** Every setting by name, validated; never changes after the start. */
export type Settings = { readonly [Name in keyof typeof SETTINGS]: Value<(typeof SETTINGS)[Name]> };
export type SettingName = keyof typeof SETTINGS;
export type Environment = Readonly<Record<string, string | undefined>>;

export interface SettingProblem {
  readonly name: string;
  /** As given, secrets masked; null when it is missing. */
  readonly given: string | null;
  readonly allowed: string;
}

/** Thrown when the environment cannot be used; carries every problem, not the first. */
export class SettingsError extends Error {
  readonly code = "bad_settings";

  constructor(readonly problems: readonly SettingProblem[]) {
    super(problems.map(problemLine).join("\n"));
    this.name = "SettingsError";
  }
}

/** A value that was not used as given; worth a line at the start. */
export interface SettingNotice {
  readonly name: string;
  readonly message: string;
}

export interface ReadSettings {
  readonly settings: Settings;
  readonly notices: readonly SettingNotice[];
}

const entries = Object.entries(SETTINGS) as [SettingName, Setting<unknown>][];

/** One schema over every variable, keyed by its name; unknown variables pass and are reported as notices. */
export const environmentSchema = z.object(
  Object.fromEntries(entries.map(([, setting]) => [setting.env, setting.schema])) as Record<
    string,
    z.ZodType<unknown, string | undefined>
  >,
);

/**
 * Reads and checks all settings.
 * @throws SettingsError with every problem at once.
 */
export function readSettings(environment: Environment = process.env): ReadSettings {
  const parsed = environmentSchema.safeParse(environment);
  const problems = parsed.success ? [] : parsed.error.issues.map((issue) => problemOf(issue, environment));
  problems.push(...missingTogether(environment, problems));
  if (problems.length > 0 || !parsed.success) throw new SettingsError(problems);
  const values = Object.fromEntries(entries.map(([name, setting]) => [name, parsed.data[setting.env]]));
  const given = values as unknown as Settings;
  const settings = Object.freeze({
    ...given,
    replicaTtlSecs: raisedTtlSecs(given),
    bodyMemoryBytes: raisedBodyMemory(given),
  });
  return { settings, notices: noticesOf(environment, settings, given) };
}

/** Where a pod finds its cluster's API, as Kubernetes tells every container; null outside a pod. */
export function podApi(
  environment: Environment = process.env,
): { readonly host: string; readonly port: string } | null {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = environment;
  return host === undefined || host === "" ? null : { host, port: port ?? "443" };
}

/** A replica that misses one heartbeat must not count as gone: at least twice the interval. */
function raisedTtlSecs(settings: Settings): number {
  return Math.max(settings.replicaTtlSecs, 2 * settings.replicaHeartbeatSecs);
}

function raisedBodyMemory(settings: Settings): number {
  return settings.bodyMemoryBytes === 0 ? 0 : Math.max(settings.bodyMemoryBytes, leastBodyMemory(settings));
}

/** A tenant alone gets half, and there the largest body must fit beside its translation, which may be twice as long, bytes. */
export function leastBodyMemory({ maxBodyBytes }: Pick<Settings, "maxBodyBytes">): number {
  return 6 * maxBodyBytes;
}

function problemOf(issue: z.core.$ZodIssue, environment: Environment): SettingProblem {
  const name = String(issue.path[0]);
  const setting = entries.find(([, one]) => one.env === name)?.[1];
  return {
    name,
    given: masked(environment[name] ?? "", setting?.secrecy ?? "secret"),
    allowed: issue.message,
  };
}

function missingTogether(environment: Environment, found: readonly SettingProblem[]): SettingProblem[] {
  const isSet = (name: string) => (environment[name] ?? "").trim() !== "";
  const isReported = (name: string) => found.some((problem) => problem.name === name);
  const missing: SettingProblem[] = [];
  const need = (name: string, because: string) => {
    if (!isSet(name) && !isReported(name)) missing.push({ name, given: null, allowed: because });
  };
  if (isSet(SETTINGS.databaseUrl.env)) {
    for (const setting of [SETTINGS.adminToken, SETTINGS.sessionSecret, SETTINGS.encryptionKey]) {
      need(setting.env, `${setting.allowed}; required with ${SETTINGS.databaseUrl.env}`);
    }
  }
  if (isSet(SETTINGS.redisSentinels.env)) {
    need(SETTINGS.redisSentinelName.env, `${SETTINGS.redisSentinelName.allowed}; required with the sentinels`);
  }
  if (isSet(SETTINGS.redisSentinelName.env)) {
    need(SETTINGS.redisSentinels.env, `${SETTINGS.redisSentinels.allowed}; required with the sentinel name`);
  }
  return missing;
}

function noticesOf(environment: Environment, settings: Settings, given: Settings): SettingNotice[] {
  const notices: SettingNotice[] = [];
  for (const [, setting] of entries) {
    const raw = (environment[setting.env] ?? "").trim();
    if (!setting.isLenient || raw === "" || isAccepted(setting, raw)) continue;
    notices.push({
      name: setting.env,
      message: `"${raw}" is not a ${setting.allowed}; reads as ${setting.defaultText}`,
    });
  }
  if (settings.replicaTtlSecs !== given.replicaTtlSecs) {
    const name = SETTINGS.replicaTtlSecs.env;
    notices.push({ name, message: `raised to ${settings.replicaTtlSecs} s, twice the heartbeat` });
  }
  if (settings.bodyMemoryBytes !== given.bodyMemoryBytes) {
    const message = `raised to ${settings.bodyMemoryBytes} bytes, six times ${SETTINGS.maxBodyBytes.env}`;
    notices.push({ name: SETTINGS.bodyMemoryBytes.env, message });
  }
  const known = new Set<string>(entries.map(([, setting]) => setting.env));
  for (const name of Object.keys(environment).sort()) {
    if (!name.startsWith("OBLETH_") || known.has(name)) continue;
    const guess = nearest(name, known);
    notices.push({ name, message: `not a setting${guess === null ? "" : `; did you mean ${guess}?`}` });
  }
  return notices;
}

/** Lenient settings hide a refusal, so the text is held against the value it gave. */
function isAccepted(setting: Setting<unknown>, raw: string): boolean {
  const value = setting.schema.parse(raw);
  return String(value) === raw.replace(/^0+(?=\d)/, "");
}

function problemLine(problem: SettingProblem): string {
  const given = problem.given === null ? "is not set" : `is ${problem.given}`;
  return `${problem.name} ${given}; allowed: ${problem.allowed}`;
}
