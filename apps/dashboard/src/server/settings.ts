/**
 * What the dashboard's server reads from its environment. The standalone server is built once and configured where it
 * runs, so this is read at run time and not in `next.config.ts`.
 */
export interface DashboardSettings {
  /** Base of the management API, ending in `/api/v1`. */
  readonly managementUrl: URL;
  /** Seals session cookies; at least 32 characters. */
  readonly sessionSecret: string;
}

export const MIN_SECRET_LENGTH = 32;
const DEFAULT_MANAGEMENT_URL = "http://127.0.0.1:9180";

/** Every problem at once, or the settings. */
export function parseSettings(env: Readonly<Record<string, string | undefined>>): DashboardSettings | string[] {
  const problems: string[] = [];
  const managementUrl = parseManagementUrl(env.OBLETH_MANAGEMENT_URL ?? DEFAULT_MANAGEMENT_URL);
  if (managementUrl === null) {
    problems.push(`OBLETH_MANAGEMENT_URL is "${env.OBLETH_MANAGEMENT_URL}": give an http or https address.`);
  }
  const sessionSecret = env.OBLETH_SESSION_SECRET ?? "";
  if (sessionSecret.length < MIN_SECRET_LENGTH) {
    problems.push(
      `OBLETH_SESSION_SECRET has ${sessionSecret.length} characters: give at least ${MIN_SECRET_LENGTH} random ones.`,
    );
  }
  if (managementUrl === null || problems.length > 0) return problems;
  return { managementUrl, sessionSecret };
}

/** The running server's settings; throws with every problem listed. */
export function getSettings(): DashboardSettings {
  const settings = parseSettings(process.env);
  if (Array.isArray(settings)) throw new Error(`The dashboard cannot start.\n${settings.join("\n")}`);
  return settings;
}

function parseManagementUrl(value: string): URL | null {
  if (!URL.canParse(value)) return null;
  const url = new URL(value);
  if (url.protocol !== "http:" && url.protocol !== "https:") return null;
  const base = url.pathname.replace(/\/+$/, "");
  url.pathname = base.endsWith("/api/v1") ? base : `${base}/api/v1`;
  return url;
}
