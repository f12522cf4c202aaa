import { visible } from "../output/plain-text";
import { previewLines } from "../output/preview-lines";
import { fieldLines } from "../output/table";
import type { DryRun } from "../resources/loose-client";

/** What a change would do, from the API's own answer; says that nothing was written. */
export function dryRunLines({ before, after, preview }: DryRun, width: number | null): string[] {
  return [
    "Nothing was written. This would happen:",
    ...changeLines(before, after),
    ...(preview === null ? [] : ["", ...previewLines(preview, width)]),
  ];
}

function changeLines(before: DryRun["before"], after: DryRun["after"]): string[] {
  if (after === null) return ["  it is deleted"];
  if (before === null) return fieldLines(after).map((line) => `  ${line}`);
  const names = Object.keys(after).filter((name) => text(before[name]) !== text(after[name]));
  if (names.length === 0) return ["  nothing changes"];
  return names.map((name) => `  ${visible(name)}  ${text(before[name])} -> ${text(after[name])}`);
}

function text(value: unknown): string {
  return visible(JSON.stringify(value ?? null));
}
