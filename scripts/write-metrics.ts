/** Writes `docs/metrics.md` from the gateway's list of series; with `--check` only says whether it matches. */
import { readFileSync, writeFileSync } from "node:fs";
import { renderMetricsPage } from "../apps/gateway/src/observe/metric-names";

const page = new URL("../docs/metrics.md", import.meta.url);
const content = renderMetricsPage();

if (!process.argv.includes("--check")) writeFileSync(page, content);
else if (readFileSync(page, "utf8") !== content) {
  console.error("docs/metrics.md is out of step; run: npx tsx scripts/write-metrics.ts");
  process.exitCode = 1;
}
