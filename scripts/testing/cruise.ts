/** Runs dependency-cruiser with the repository's rules over a tree laid out like the repository. */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { ROOT } from "../launch/environment.mjs";

export interface Violation {
  readonly rule: string;
  readonly from: string;
  readonly to: string;
}

export interface Cruise {
  /** Our own modules that were read; installed ones do not count. */
  readonly modulesSeen: number;
  readonly violations: readonly Violation[];
}

const FOLDERS = ["apps", "packages", "e2e", "scripts"];

/** @throws Error when the tool itself fails, with what it printed. */
export function cruise(root: string): Cruise {
  const tool = path.join(ROOT, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
  const config = path.join(ROOT, ".dependency-cruiser.cjs");
  const run = spawnSync(process.execPath, [tool, "--config", config, "--output-type", "json", ...FOLDERS], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
  });
  if (!run.stdout.startsWith("{")) throw new Error(`dependency-cruiser failed:\n${run.stdout}${run.stderr}`);
  const report = JSON.parse(run.stdout) as {
    modules: { source: string }[];
    summary: { violations: { from: string; to: string; rule: { name: string } }[] };
  };
  return {
    modulesSeen: report.modules.filter((one) => FOLDERS.some((folder) => one.source.startsWith(`${folder}/`))).length,
    violations: report.summary.violations.map(({ from, to, rule }) => ({ rule: rule.name, from, to })),
  };
}
