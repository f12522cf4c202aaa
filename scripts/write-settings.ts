/** Writes `.env.example` and `docs/settings.md` from the settings' schema; with `--check` only says whether they match. */
import { readFileSync, writeFileSync } from "node:fs";
import { renderEnvExample, renderSettingsPage } from "@obleth/config";

const files = [
  { path: ".env.example", content: renderEnvExample() },
  { path: "docs/settings.md", content: renderSettingsPage() },
];
const root = new URL("../", import.meta.url);

if (process.argv.includes("--check")) {
  const stale = files.filter((file) => !isCurrent(file));
  for (const file of stale) console.error(`${file.path} is out of step; run: npx tsx scripts/write-settings.ts`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  for (const file of files) writeFileSync(new URL(file.path, root), file.content);
}

function isCurrent(file: { path: string; content: string }): boolean {
  try {
    return readFileSync(new URL(file.path, root), "utf8") === file.content;
  } catch {
    return false;
  }
}
