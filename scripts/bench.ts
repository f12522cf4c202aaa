/**
 * `npm run bench -- SUITE...`: what it costs, measured beside others in the same run.
 *
 *   engine, gateway, cluster, dashboard   the suites; all of them when none is named
 *   --quick       a short form, under a minute a suite
 *   --only PART   one part of a suite that has parts (gateway, dashboard; a name it does not have lists them)
 *   --json FILE   writes the figures
 *
 * Exits with 0 when every target holds, 1 when one falls short, 2 when the run was too noisy to judge, 70 when a suite failed.
 */
import { existsSync } from "node:fs";
import { inspect, parseArgs } from "node:util";
import type { Figure } from "./figure";
import { exitCodeOf, printFigures, type SuiteResult, writeJson } from "./figures";

interface SuiteOptions {
  readonly quick: boolean;
  readonly only: string | undefined;
  /** Told figures as they come, by suites of several parts. */
  readonly report: (figures: readonly Figure[]) => void;
}

type Suite = (options: SuiteOptions) => Promise<SuiteResult>;

/** Where each suite lives, and the name of the function it exports. */
const suites: Readonly<Record<string, readonly [file: string, run: string]>> = {
  engine: ["../packages/fairshare/bench/engine.ts", "runEngineBench"],
  gateway: ["../apps/gateway/bench/gateway.ts", "runGatewayBench"],
  cluster: ["../packages/cluster/bench/cluster.ts", "runClusterBench"],
  dashboard: ["../e2e/bench/dashboard.ts", "runDashboardBench"],
};

async function load(name: string): Promise<Suite | string> {
  const place = suites[name];
  if (place === undefined) return `There is no suite "${name}". Known: ${Object.keys(suites).join(", ")}.`;
  const [file, run] = place;
  const url = new URL(file, import.meta.url);
  if (!existsSync(url)) return `The suite "${name}" is not part of this checkout.`;
  const suite: unknown = ((await import(url.href)) as Record<string, unknown>)[run];
  return typeof suite === "function" ? (suite as Suite) : `${file} exports no ${run}.`;
}

/** Prints figures as they come; a suite that fails keeps those it had and fails the run. */
async function measured(name: string, suite: Suite): Promise<SuiteResult> {
  const shown: Figure[] = [];
  const report = (figures: readonly Figure[]) => {
    printFigures(figures);
    shown.push(...figures);
  };
  try {
    const result = await suite({ quick: values.quick, only: values.only, report });
    const rest = result.figures.filter((figure) => !shown.includes(figure));
    if (rest.length > 0) printFigures(rest);
    return result;
  } catch (error) {
    console.error(inspect(error, { depth: 8 }));
    hasFailed = true;
    return { suite: name, figures: shown, noisy: false };
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: "boolean", default: false }, only: { type: "string" }, json: { type: "string" } },
});
let hasFailed = false;
const isEverything = positionals.length === 0;
const results: SuiteResult[] = [];
for (const name of isEverything ? Object.keys(suites) : positionals) {
  const suite = await load(name);
  if (typeof suite === "string") {
    console.error(suite);
    if (isEverything) continue;
    process.exit(64);
  }
  console.log(`\n${name}`);
  const result = await measured(name, suite);
  if (result.noisy) console.log("  Rounds differ too much on this machine just now: nothing is judged. Run it again.");
  results.push(result);
}
if (values.json !== undefined) writeJson(values.json, results);
process.exit(hasFailed ? 70 : exitCodeOf(results));
