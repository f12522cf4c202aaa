/** The repository's own files, as git sees them: tracked, or new and not ignored. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "../launch/environment.mjs";

export interface SourceFile {
  /** From the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly lines: number;
}

/** Files whose text people write; generated ones are left out. */
const GENERATED = /^(package-lock\.json|docs\/openapi\.json|drizzle\/meta\/|e2e\/data\/|LICENSE$)/;

export function readFiles(pattern: RegExp): SourceFile[] {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  const paths = [...new Set(listed.split("\0"))].filter((file) => pattern.test(file) && !GENERATED.test(file));
  return paths
    .filter((file) => existsSync(path.join(ROOT, file)))
    .map((file) => {
      const text = readFileSync(path.join(ROOT, file), "utf8");
      return { path: file, text, lines: text.split("\n").length - 1 };
    });
}

export function isTest(file: string): boolean {
  return /\.(test|spec)\.tsx?$|\/(test|testing|support|bench)\/|\/testing\.ts$|^e2e\//.test(file);
}
