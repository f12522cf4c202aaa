/** Bundles the command line into `dist/main.js`: our packages inside, packages from npm outside. */
import { chmodSync, readFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";

const here = import.meta.dirname;
const { version } = JSON.parse(readFileSync(path.join(here, "../../package.json"), "utf8"));

await build({
  absWorkingDir: here,
  entryPoints: ["src/main.ts"],
  outfile: "dist/main.js",
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  sourcemap: true,
  logLevel: "warning",
  banner: { js: "#!/usr/bin/env node" },
  define: { OBLETH_VERSION: JSON.stringify(version) },
  plugins: [{ name: "npm-outside", setup: (build) => build.onResolve({ filter: /^[^./]/ }, npmOutside) }],
});

chmodSync(path.join(here, "dist/main.js"), 0o755);

/** @param {import("esbuild").OnResolveArgs} args */
function npmOutside({ path: wanted, kind }) {
  if (kind === "entry-point" || wanted.startsWith("@obleth/")) return undefined;
  return { path: wanted, external: true };
}
