/**
 * `npm run eval`: the engine on published ground, each figure beside the published one and beside the plain ways to
 * choose who goes next.
 *
 *   affinity      instead: what session affinity is worth where; a minute
 *   --plot FILE   draws that study as SVG
 *   --only NAME   arena, synthetic, kubernetes, agents or fleet
 *   --quick       leaves out the fleet, which runs the built product for four minutes
 *   --json FILE   writes the figures
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { affinityStudy } from "../packages/fairshare/test/eval/affinity-study";
import { agents } from "../packages/fairshare/test/eval/agents";
import { arena, type Scenario } from "../packages/fairshare/test/eval/arena";
import { kubernetes } from "../packages/fairshare/test/eval/kubernetes";
import { synthetic } from "../packages/fairshare/test/eval/synthetic";
import { affinityPlot } from "./affinity-plot";
import type { Figure } from "./figure";
import { exitCodeOf, printFigures, printTable, type SuiteResult, writeJson } from "./figures";
import { faultyDay } from "./fleet/faulty-day";

type Run = () => Scenario | readonly Scenario[] | Promise<Scenario>;
const scenarios: Readonly<Record<string, Run>> = {
  arena,
  synthetic,
  kubernetes,
  agents,
  fleet: faultyDay,
};

const studies: Readonly<Record<string, Run>> = {
  affinity: () => {
    const { points, scenarios: tables } = affinityStudy();
    if (values.plot !== undefined) writeFileSync(values.plot, affinityPlot(points));
    return tables;
  },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string" },
    quick: { type: "boolean", default: false },
    json: { type: "string" },
    plot: { type: "string" },
  },
});
const everything = Object.keys(scenarios).filter((name) => !values.quick || name !== "fleet");
const asked = values.only === undefined ? positionals : [values.only, ...positionals];
const names = asked.length === 0 ? everything : asked;

const figures: Figure[] = [];
for (const name of names) {
  const run = scenarios[name] ?? studies[name];
  if (run === undefined) {
    console.error(`There is no scenario "${name}". Known: ${Object.keys({ ...scenarios, ...studies }).join(", ")}.`);
    process.exit(64);
  }
  for (const { title, columns, rows, figures: measured } of [await run()].flat()) {
    console.log(`\n${title}`);
    printTable(columns, rows);
    printFigures(measured);
    figures.push(...measured);
  }
}
console.log(
  "\nVirtual time: costs are known exactly and slots are constant, which flatters every scheduler beside a real GPU.",
);
const results: SuiteResult[] = [{ suite: "eval", noisy: false, figures }];
if (values.json !== undefined) writeJson(values.json, results);
process.exitCode = exitCodeOf(results);
