/**
 * `npm run bench -- SUITE...`: what it costs, measured beside others in the same run.
 *
 *   engine, gateway, cluster, dashboard   the suites; all of them when none is named
 *   --quick       a short form, under a minute a suite
 *   --json FILE   writes the figures
 *
 * Exits with 0 when every target holds, 1 when one falls short, 2 when the run was too noisy to judge.
 */
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { exitCodeOf, printFigures, type SuiteResult, writeJson } from "./figures";

type Suite = (options: { quick: boolean }) => Promise<SuiteResult>;

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

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: "boolean", default: false }, json: { type: "string" } },
});
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
  const result = await suite({ quick: values.quick });
  printFigures(result.figures);
  if (result.noisy) console.log("  Rounds differ too much on this machine just now: nothing is judged. Run it again.");
  results.push(result);
}
if (values.json !== undefined) writeJson(values.json, results);
process.exit(exitCodeOf(results));
