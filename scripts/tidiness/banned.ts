/** Words and habits that have no place here, with what to do instead. */
import { isTest, type SourceFile } from "./source-files";

interface Ban {
  readonly pattern: RegExp;
  readonly instead: string;
  /** Where it applies; everywhere when absent. */
  readonly within?: (file: string) => boolean;
}

const isCode = (file: string) => /\.(tsx?|mjs|cjs)$/.test(file);
const isShipped = (file: string) => isCode(file) && /^(apps|packages)\//.test(file) && !isTest(file);
/** This file spells out what it forbids. */
const SELF = "scripts/tidiness/";

const BANS: readonly Ban[] = [
  { pattern: /\b(TODO|FIXME|XXX)\b/, instead: "do it, or open an issue" },
  { pattern: /\b(it|test|describe)\.(only|skip|todo|fixme)\b/, instead: "every test runs", within: isTest },
  {
    pattern: /biome-ignore|eslint-disable|@ts-(ignore|nocheck|expect-error)/,
    instead: "mend what the tool says",
    within: isCode,
  },
  {
    pattern: /setTimeout\(\s*(r|res|resolve|done)\s*,\s*(\d{4,}|[2-9]\d\d)/,
    instead: "wait for a condition or move a virtual clock",
    within: (file) => isTest(file) && !/\/bench\//.test(file),
  },
  {
    pattern: /waitForTimeout\(/,
    instead: "wait for what should appear",
    // These watch a page over a time: traffic, layout shifts, styles that settle.
    within: (file) => !/^e2e\/(tests\/(dashboard-load|accessibility)\.spec|bench\/\w+)\.ts$/.test(file),
  },
  { pattern: /\b(seat|ticket|lease)s?\b/i, instead: "say slot, waiter or claim", within: isShipped },
  {
    pattern: /process\.env\b(?!\.(NODE_ENV|NEXT_RUNTIME)\b)/,
    instead: "read settings through packages/config",
    within: (file) =>
      isShipped(file) &&
      !/^packages\/config\/|^apps\/(dashboard\/(next\.config|src\/server\/settings)|cli\/src\/environment)\.ts$/.test(
        file,
      ) &&
      !file.endsWith("build.mjs"),
  },
  { pattern: /\.\.\/shared\b|(^|[\s"'`(=])\/(work|root|home|Users)\//m, instead: "no paths of one machine" },
  { pattern: /registry\.npmjs\.org/, instead: "no registry addresses" },
];

const VAGUE_NAMES = /(^|\/)(utils?|helpers?|types|manager|misc)(\.tsx?|\/)/;

export function bannedUses(files: readonly SourceFile[]): string[] {
  const problems: string[] = [];
  for (const file of files) {
    if (VAGUE_NAMES.test(file.path) && isCode(file.path)) problems.push(`${file.path}: name it after what is in it`);
    if (file.path.startsWith(SELF)) continue;
    for (const { pattern, instead, within } of BANS) {
      if (within?.(file.path) === false) continue;
      const at = file.text.split("\n").findIndex((line) => pattern.test(line));
      if (at >= 0)
        problems.push(`${file.path}:${at + 1}: ${file.text.split("\n")[at]?.trim().slice(0, 80)} (${instead})`);
    }
  }
  return problems;
}
