/** The engine's preview on the same fixture as the pages', as a page calls it. */
import { execFileSync } from "node:child_process";
import { type Figure, valueFigure } from "../../scripts/figure";
import { ROOT } from "../support/stack";

export function previewFigures(): Figure[] {
  const program = ["--import", "tsx", "apps/dashboard/test/preview-speed.ts"];
  const { groups, tenant } = JSON.parse(execFileSync(process.execPath, program, { cwd: ROOT, encoding: "utf8" })) as {
    groups: number;
    tenant: number;
  };
  return [
    valueFigure("preview of group weights over all pools", [groups], { unit: "ms", atMost: 10 }),
    valueFigure("preview of a tenant's weight in its pool", [tenant], { unit: "ms", atMost: 10 }),
  ];
}
