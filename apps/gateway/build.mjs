/**
 * Bundles the gateway into `dist/main.js`: our packages inside, packages from npm outside. An argument names another
 * file in `dist/`, for tests that want a bundle of their own.
 */
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";

const here = import.meta.dirname;
const { version } = JSON.parse(readFileSync(path.join(here, "../../package.json"), "utf8"));

await build({
  absWorkingDir: here,
  entryPoints: ["src/main.ts"],
  outfile: path.join("dist", process.argv[2] ?? "main.js"),
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  sourcemap: true,
  logLevel: "warning",
  define: { OBLETH_VERSION: JSON.stringify(version), OBLETH_COMMIT: JSON.stringify(commit()) },
  plugins: [{ name: "npm-outside", setup: (build) => build.onResolve({ filter: /^[^./]/ }, npmOutside) }],
});

cpSync(path.join(here, "../../packages/cluster/lua"), path.join(here, "dist/lua"), {
  recursive: true,
  filter: (source) => !source.endsWith(".md"),
});

/** @param {import("esbuild").OnResolveArgs} args */
function npmOutside({ path: wanted, kind }) {
  if (kind === "entry-point" || wanted.startsWith("@obleth/")) return undefined;
  return { path: wanted, external: true };
}

/** The commit this is built from; "" outside a repository, as in an image. */
function commit() {
  try {
    return execFileSync("git", ["rev-parse", "--short=12", "HEAD"], { cwd: here, stdio: ["ignore", "pipe", "ignore"] })
      .toString()
      .trim();
  } catch {
    return process.env.GIT_COMMIT ?? "";
  }
}
