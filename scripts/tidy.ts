/**
 * Checks what no other tool does: lengths of files and functions, how many parameters they take, words we do not use,
 * and that the engine depends on nothing. Prints a table of lengths.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { OLDEST_NODE, ROOT } from "./launch/environment.mjs";
import { bannedUses } from "./tidiness/banned";
import { functionLengths, lengthTable, tooLong, tooManyParameters } from "./tidiness/lengths";
import { isTest, readFiles } from "./tidiness/source-files";

/** Far fewer means the listing went wrong, and then nothing was checked. */
const FEWEST_FILES = 200;

const code = readFiles(/\.(tsx?|mjs)$/);
const functions = code.filter((file) => !isTest(file.path)).flatMap(functionLengths);
const problems = [
  ...tooLong(code, functions),
  ...tooManyParameters(functions),
  ...bannedUses(readFiles(/\.(tsx?|mjs|cjs|json|md|lua|sql|ya?ml|css|sh|grit)$|^\.env\.example$|Dockerfile/)),
  ...engineProblems(),
  ...(code.length < FEWEST_FILES ? [`only ${code.length} source files were found`] : []),
];
for (const line of lengthTable(code, functions)) console.log(line);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

function engineProblems(): string[] {
  const engine = readJson("packages/fairshare/package.json");
  const compiler = readJson("packages/fairshare/tsconfig.json").compilerOptions as { types?: unknown[] };
  const root = readJson("package.json").engines as { node?: string };
  return [
    ...(Object.keys(engine.dependencies ?? {}).length > 0 ? ["packages/fairshare must have no dependencies"] : []),
    ...(compiler.types?.length === 0 ? [] : ["packages/fairshare/tsconfig.json must set types to []"]),
    ...(root.node === `>=${OLDEST_NODE}` ? [] : ["engines in package.json and OLDEST_NODE in scripts differ"]),
  ];
}

function readJson(file: string): Record<string, object> {
  return JSON.parse(readFileSync(path.join(ROOT, file), "utf8")) as Record<string, object>;
}
