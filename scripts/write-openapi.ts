/** Writes `docs/openapi.json` from the contract; with `--check` only says whether it matches. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { openApiDocument } from "@obleth/contract/openapi";
import { ROOT } from "./launch/environment.mjs";

const file = path.join(ROOT, "docs/openapi.json");
const { version } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as { version: string };
const content = `${JSON.stringify(openApiDocument({ version }), null, 2)}\n`;

if (!process.argv.includes("--check")) {
  writeFileSync(file, content);
} else if (readCurrent() !== content) {
  console.error("docs/openapi.json is out of step with packages/contract; run: npx tsx scripts/write-openapi.ts");
  process.exitCode = 1;
}

function readCurrent(): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
