/** What every measuring suite prints and writes: figures against their targets, and the exit code they come to. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import type { Figure } from "./figure";

export type { Scenario } from "../packages/fairshare/test/eval/arena";

export interface SuiteResult {
  readonly suite: string;
  readonly figures: readonly Figure[];
  /** Rounds differed too much to judge. */
  readonly noisy: boolean;
}

/** 0 when every target holds, 1 when one falls short, 2 when the run was too noisy to judge. */
export function exitCodeOf(results: readonly SuiteResult[]): 0 | 1 | 2 {
  if (results.some((result) => result.noisy)) return 2;
  return results.every((result) => result.figures.every((figure) => figure.holds !== false)) ? 0 : 1;
}

/** One line per figure. */
export function printFigures(figures: readonly Figure[]): void {
  const width = Math.max(...figures.map((figure) => figure.name.length));
  for (const figure of figures) {
    const value = `${shown(figure.value)} ${figure.unit}`.padEnd(18);
    const ratio = figure.ratio === null ? "" : `${shown(figure.ratio)}x of ${shown(figure.beside ?? 0)}`;
    const spread = figure.spread === 0 ? "" : `spread ${Math.round(100 * figure.spread)} %`;
    console.log(
      `  ${figure.name.padEnd(width)}  ${value}${ratio.padEnd(24)}${verdict(figure).padEnd(40)}${spread}`.trimEnd(),
    );
  }
}

/** Rows under their headings, numbers right-aligned. */
export function printTable(
  columns: readonly string[],
  rows: readonly { name: string; cells: readonly (string | number)[] }[],
): void {
  const texts = rows.map((row) => row.cells.map((cell) => (typeof cell === "number" ? shown(cell) : cell)));
  const widths = columns.map((column, i) => Math.max(column.length, ...texts.map((cells) => cells[i]?.length ?? 0)));
  const first = Math.max(...rows.map((row) => row.name.length));
  console.log(`  ${"".padEnd(first)}  ${columns.map((column, i) => column.padStart(widths[i] ?? 0)).join("  ")}`);
  rows.forEach((row, r) => {
    const cells = columns.map((_, i) => (texts[r]?.[i] ?? "").padStart(widths[i] ?? 0));
    console.log(`  ${row.name.padEnd(first)}  ${cells.join("  ")}`.trimEnd());
  });
}

/** Writes one suite, or a list of them, as JSON. */
export function writeJson(file: string, results: readonly SuiteResult[]): void {
  const commit = commitName();
  const list = results.map(({ suite, noisy, figures }) => ({ suite, commit, noisy, figures }));
  writeFileSync(file, `${JSON.stringify(list.length === 1 ? list[0] : list, null, 2)}\n`);
}

/** Three significant digits or whole. */
export function shown(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en");
  return String(Number(value.toPrecision(3)));
}

function verdict(figure: Figure): string {
  if (figure.target === null) return "";
  const mark = figure.holds === true ? "holds" : "FALLS SHORT";
  const stretch = figure.holds_stretch === true ? `, stretch ${figure.stretch} too` : "";
  return `${mark}: ${figure.target}${stretch}`;
}

function commitName(): string {
  try {
    return execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  } catch {
    return "unknown";
  }
}
