/**
 * `npm test`: checks everything on a fresh clone, with no step before it, and closes with `N passed, N failed` summed over
 * all parts. A part that could not run counts as failed; nothing is passed over in silence.
 *
 *   --verify            the parts that need no services and no browser
 *   --only integration  tests on real Postgres and Redis
 *   --only e2e          the whole product in a real browser
 *   --node 22           unit, property and integration tests on another Node
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { requireNode } from "./launch/environment.mjs";
import { ensureInstalled } from "./launch/install.mjs";
import { exitWith, Refusal } from "./launch/refusal.mjs";
import { otherNode } from "./testing/other-node.mjs";
import { buildPart, checkParts, e2ePart, vitestPart } from "./testing/parts.mjs";
import { runParts } from "./testing/run-parts.mjs";

await exitWith(async () => {
  requireNode();
  const { values } = parseArgs({
    options: { verify: { type: "boolean" }, only: { type: "string" }, node: { type: "string" } },
  });
  process.env.CI = "true";
  const reports = mkdtempSync(path.join(tmpdir(), "obleth-test-"));
  try {
    await ensureInstalled();
    return await runParts(chooseParts(values, reports));
  } finally {
    rmSync(reports, { recursive: true, force: true });
  }
});

/**
 * @param {{ verify?: boolean, only?: string, node?: string }} flags
 * @param {string} reports folder for the runners' JSON reports
 */
function chooseParts(flags, reports) {
  const quick = ["unit", "older-clients", "property"];
  const projects = [...quick, "integration"];
  if (flags.node) return [{ ...vitestPart(reports, projects), program: otherNode(flags.node) }];
  if (flags.verify) return [...checkParts(), vitestPart(reports, quick)];
  switch (flags.only) {
    case undefined:
      return [...checkParts(), vitestPart(reports, projects), buildPart(), e2ePart(reports)];
    case "integration":
      return [vitestPart(reports, ["integration"])];
    case "e2e":
      return [buildPart(), e2ePart(reports)];
    default:
      throw new Refusal(`--only knows integration and e2e, not ${flags.only}.`);
  }
}
