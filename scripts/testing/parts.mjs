/** The parts of a test run: which command each is, and how to count what it did. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "../launch/environment.mjs";

/**
 * @typedef {{ passed: number, failed: number, skipped: number }} Tally
 * @typedef {object} Part
 * @property {string} name
 * @property {string[]} command arguments to Node
 * @property {string} [program] another Node than this one
 * @property {Record<string, string>} [env]
 * @property {boolean} [isQuick] may run beside other quick parts, its output shown when it is done
 * @property {string} [needs] the part without which this one cannot run
 * @property {(code: number) => Tally} count reads how it went, given the exit code
 */

/** @param {string} name @param {string} file */
const bin = (name, file) => path.join(ROOT, "node_modules", name, file);
/** @param {string} script */
const ours = (script) => ["--import", "tsx", `scripts/${script}`];
/** @param {string} task @param {string[]} flags */
const turbo = (task, ...flags) => [
  bin("turbo", "bin/turbo"),
  ...["run", task, "--output-logs=errors-only", "--log-order=grouped"],
  ...flags,
];
/** @param {number} code */
const asOne = (code) => ({ passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 });

/** Static checks, each of which counts as one. @returns {Part[]} */
export function checkParts() {
  /** @param {string} name @param {string[]} command */
  const check = (name, command) => ({ name, command, isQuick: true, count: asOne });
  return [
    check("format and lint", [bin("@biomejs/biome", "bin/biome"), "ci", "--colors=off", "--error-on-warnings", "."]),
    check("types", turbo("typecheck", "--concurrency=2")),
    check("imports", ours("check-imports.ts")),
    check("unused code", [bin("knip", "bin/knip.js")]),
    check("tidiness", ours("tidy.ts")),
    check("paths in documents", ours("check-doc-refs.ts")),
    check("settings documented", [...ours("write-settings.ts"), "--check"]),
    check("metrics documented", [...ours("write-metrics.ts"), "--check"]),
    check("OpenAPI document", [...ours("write-openapi.ts"), "--check"]),
  ];
}

/**
 * @param {string} reports
 * @param {string[]} projects
 * @returns {Part}
 */
export function vitestPart(reports, projects) {
  const report = path.join(reports, "vitest.json");
  const vitest = [
    bin("vitest", "vitest.mjs"),
    "run",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${report}`,
  ];
  const command = [...vitest, ...projects.flatMap((project) => ["--project", project])];
  return {
    name: projects.join(", "),
    command: projects.includes("integration") ? [...ours("services.ts"), ...command] : command,
    count: (code) => atLeastOneFailure(code, readVitest(report)),
  };
}

/** @returns {Part} */
export function buildPart() {
  return { name: "build", command: turbo("build"), count: asOne };
}

/**
 * @param {string} reports
 * @returns {Part}
 */
export function e2ePart(reports) {
  const report = path.join(reports, "playwright.json");
  return {
    name: "end to end",
    command: [...ours("run-e2e.ts")],
    env: { PLAYWRIGHT_JSON_OUTPUT_FILE: report },
    needs: "build",
    count: (code) => atLeastOneFailure(code, readPlaywright(report)),
  };
}

/**
 * A runner that failed without a failed test, or left no report, is itself a failure.
 * @param {number} code
 * @param {Tally | undefined} tally
 * @returns {Tally}
 */
function atLeastOneFailure(code, tally) {
  if (tally === undefined || tally.passed + tally.failed === 0)
    return { passed: tally?.passed ?? 0, failed: 1, skipped: 0 };
  return code !== 0 && tally.failed === 0 ? { ...tally, failed: 1 } : tally;
}

/** @param {string} file @returns {Tally | undefined} */
function readVitest(file) {
  if (!existsSync(file)) return undefined;
  const report = JSON.parse(readFileSync(file, "utf8"));
  // A file that failed to load has no tests in it; it must count all the same.
  const unloaded = report.testResults.filter(
    (/** @type {{ status: string, assertionResults: unknown[] }} */ one) =>
      one.status === "failed" && one.assertionResults.length === 0,
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + unloaded.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/** @param {string} file @returns {Tally | undefined} */
function readPlaywright(file) {
  if (!existsSync(file)) return undefined;
  const { stats, errors } = JSON.parse(readFileSync(file, "utf8"));
  return { passed: stats.expected, failed: stats.unexpected + stats.flaky + errors.length, skipped: stats.skipped };
}
