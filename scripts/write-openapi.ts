/**
 * Writes docs/openapi.json from the contract. With `--check` it writes nothing and fails when the file differs, so the
 * document in the repository cannot drift.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { openApiDocument } from "../packages/contract/src/openapi";

const file = fileURLToPath(new URL("../docs/openapi.json", import.meta.url));
const root = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string };
const text = `${JSON.stringify(openApiDocument({ version: root.version }), null, 1)}\n`;

if (process.argv.includes("--check")) {
  if (readFileSync(file, "utf8") !== text) {
    console.error("docs/openapi.json is not what the contract says: run npx tsx scripts/write-openapi.ts");
    process.exitCode = 1;
  }
} else {
  writeFileSync(file, text);
  console.log(`docs/openapi.json: ${text.length.toLocaleString("en-US")} bytes`);
}
