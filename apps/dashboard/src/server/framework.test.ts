import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";

const readJson = (url: string | URL): unknown => JSON.parse(readFileSync(url, "utf8"));
const declared = readJson(new URL("../../package.json", import.meta.url)) as { dependencies: Record<string, string> };
const { resolve } = createRequire(import.meta.url);

/** As one number, so that versions compare. */
function order(version: string): number {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  return (major * 1000 + minor) * 1000 + patch;
}

/**
 * The first releases without the published ways past a page's guard or into its server: a header that skipped the
 * middleware (CVE-2025-29927), and code run from, or shown by, a request to server functions (CVE-2025-55182, -55183, -55184).
 */
const MENDED = [
  ["next", "16.0.10"],
  ["react", "19.2.3"],
  ["react-dom", "19.2.3"],
] as const;

describe("the framework", () => {
  it.each(MENDED)(
    "%s is one exact version, installed as declared and past known ways around its guards",
    (name, since) => {
      const version = declared.dependencies[name] ?? "";
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
      expect(readJson(resolve(`${name}/package.json`))).toMatchObject({ version });
      expect(order(version)).toBeGreaterThanOrEqual(order(since));
    },
  );
});
