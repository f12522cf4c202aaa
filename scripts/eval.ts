/**
 * `npm run eval`: the engine on published ground, each figure beside the published one and beside the plain ways to
 * choose who goes next.
 *
 *   --only NAME   arena, synthetic, kubernetes or agents
 *   --quick       leaves out what takes longer than a few seconds
 *   --json FILE   writes the figures
 */
import { parseArgs } from "node:util";
import { agents } from "../packages/fairshare/test/eval/agents";
import { arena, type Scenario } from "../packages/fairshare/test/eval/arena";
import { kubernetes } from "../packages/fairshare/test/eval/kubernetes";
import { synthetic } from "../packages/fairshare/test/eval/synthetic";
import { exitCodeOf, printFigures, printTable, type SuiteResult, writeJson } from "./figures";

const scenarios: Readonly<Record<string, () => Scenario>> = { arena, synthetic, kubernetes, agents };

const { values } = parseArgs({
  options: { only: { type: "string" }, quick: { type: "boolean", default: false }, json: { type: "string" } },
});
const names = values.only === undefined ? Object.keys(scenarios) : [values.only];

const figures = names.flatMap((name) => {
  const run = scenarios[name];
  if (run === undefined) {
    console.error(`There is no scenario "${name}". Known: ${Object.keys(scenarios).join(", ")}.`);
    process.exit(64);
  }
  const { title, columns, rows, figures: measured } = run();
  console.log(`\n${title}`);
  printTable(columns, rows);
  printFigures(measured);
  return measured;
});
console.log(
  "\nVirtual time: costs are known exactly and slots are constant, which flatters every scheduler beside a real GPU.",
);
const results: SuiteResult[] = [{ suite: "eval", noisy: false, figures }];
if (values.json !== undefined) writeJson(values.json, results);
process.exitCode = exitCodeOf(results);
