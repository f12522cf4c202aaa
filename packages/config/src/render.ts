/** The settings as text: `.env.example`, the settings page, and the effective values for `obleth config check`. */
import { SECTIONS, SETTINGS } from "./defaults";
import type { SettingName, Settings } from "./env";
import { masked } from "./mask";
import type { ListenAddress, Setting } from "./setting";

export interface EffectiveSetting {
  readonly name: string;
  /** Secrets masked; null when unset. */
  readonly value: string | null;
  readonly isDefault: boolean;
}

/** Every setting in force, in the page's order, fit to be printed. */
export function effectiveSettings(settings: Settings): EffectiveSetting[] {
  return (Object.entries(SETTINGS) as [SettingName, Setting<unknown>][]).map(([name, setting]) => {
    const text = valueText(settings[name]);
    return {
      name: setting.env,
      value: text === null || setting.secrecy === "open" ? text : masked(text, setting.secrecy).replaceAll('"', ""),
      isDefault: text === setting.defaultText,
    };
  });
}

/** `.env.example`: every variable, commented out at its default. */
export function renderEnvExample(): string {
  const lines = ["# Every setting obleth reads, at its default. Generated: npx tsx scripts/write-settings.ts"];
  for (const section of SECTIONS) {
    lines.push("", `# --- ${section.title} ---`);
    for (const setting of Object.values(section.settings) as Setting<unknown>[]) {
      lines.push("", ...wrapped(`${setting.about}${unitNote(setting)}`, 110).map((line) => `# ${line}`));
      lines.push(`# ${setting.env}=${setting.defaultText ?? ""}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

/** The settings page in Markdown. */
export function renderSettingsPage(): string {
  const lines = [
    "# Settings",
    "",
    "Generated from `packages/config/src/settings` by `npx tsx scripts/write-settings.ts`; a check keeps them in step.",
    "",
    "Settings are environment variables, read once at the start. Values that cannot be used stop the start with a list of",
    "every problem; those marked *lenient* read as their default instead and are logged. A blank value counts as unset.",
    "Booleans take 1/0, true/false, yes/no and on/off in any case. `obleth config check` prints what is in force.",
  ];
  for (const section of SECTIONS) {
    lines.push("", `## ${section.title}`, "", "| variable | default | allowed | what it does |", "|---|---|---|---|");
    for (const setting of Object.values(section.settings) as Setting<unknown>[]) lines.push(pageRow(setting));
  }
  return `${lines.join("\n")}\n`;
}

function pageRow(setting: Setting<unknown>): string {
  const shown = setting.defaultText === null ? "unset" : `\`${setting.defaultText}\`${unitSuffix(setting)}`;
  const marks = [setting.secrecy === "secret" ? "secret" : null, setting.isLenient ? "*lenient*" : null];
  const allowed = [setting.allowed, ...marks.filter((mark) => mark !== null)].join("; ");
  return `| \`${setting.env}\` | ${shown} | ${allowed} | ${setting.about} |`;
}

function unitSuffix(setting: Setting<unknown>): string {
  return setting.unit === null ? "" : ` ${setting.unit}`;
}

function unitNote(setting: Setting<unknown>): string {
  return setting.unit === null ? "" : ` (${setting.unit})`;
}

function valueText(value: Settings[SettingName]): string | null {
  if (value === null) return null;
  if (isAddress(value))
    return value.host.includes(":") ? `[${value.host}]:${value.port}` : `${value.host}:${value.port}`;
  if (typeof value === "object") return value.length === 0 ? null : value.join(",");
  return String(value);
}

function isAddress(value: Settings[SettingName]): value is ListenAddress {
  return typeof value === "object" && value !== null && "port" in value;
}

function wrapped(sentence: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of sentence.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  lines.push(line);
  return lines;
}
