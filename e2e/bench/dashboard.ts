/**
 * `npm run bench -- dashboard`: what the pages cost, in Chromium, production builds. Loading, moving between pages and idle
 * polling are measured on the running product with a full pool; the rest on 200 pools and 2,000 tenants made of fixtures.
 * Build first (`npm run build`). Each part's figures are reported as it ends, so what fails later loses none of them.
 */

import type { Figure } from "../../scripts/figure";
import { launch } from "./browser";
import { CROWD_PARTS, startCrowd } from "./crowd";
import { PRODUCT_PARTS, startProduct } from "./loading";
import { previewFigures } from "./preview";

/** Rounds of a paint that differ by more say more about the machine than about the page. */
const WIDEST_SPREAD = 1;

export interface BenchOptions {
  readonly quick: boolean;
  /** The one part to run; all of them when not given. */
  readonly only?: string | undefined;
  /** Told the figures of each part as it ends. */
  readonly report?: (figures: readonly Figure[]) => void;
}

/** Runs the parts one after another; those that fail are named by the error at the end. */
export async function runDashboardBench({ quick, only, report }: BenchOptions) {
  const names = [...Object.keys(PRODUCT_PARTS), ...Object.keys(CROWD_PARTS), "preview"];
  if (only !== undefined && !names.includes(only)) throw new Error(`No part "${only}". Known: ${names.join(", ")}.`);
  const figures: Figure[] = [];
  const failures: Error[] = [];
  const run = async (name: string, measure: () => Promise<Figure[]>) => {
    if (only !== undefined && only !== name) return;
    try {
      const made = await measure();
      figures.push(...made);
      if (made.length > 0) report?.(made);
    } catch (cause) {
      failures.push(new Error(`The part "${name}" failed.`, { cause }));
    }
  };
  const isAnyOf = (parts: object) => only === undefined || only in parts;
  const browser = await launch();
  const wanted = { browser, quick };
  // Neither does anything until a page of it is open.
  const starting = [
    isAnyOf(PRODUCT_PARTS) ? startProduct(wanted) : undefined,
    isAnyOf(CROWD_PARTS) ? startCrowd(wanted) : undefined,
  ] as const;
  try {
    const [product, crowd] = await Promise.all(starting);
    if (product !== undefined) {
      for (const [name, measure] of Object.entries(PRODUCT_PARTS)) await run(name, () => measure(product.place));
    }
    await run("preview", async () => previewFigures());
    if (crowd !== undefined) {
      for (const [name, measure] of Object.entries(CROWD_PARTS)) await run(name, () => measure(crowd.place));
    }
  } finally {
    for (const started of await Promise.allSettled(starting)) {
      if (started.status === "fulfilled") await started.value?.stop();
    }
    await browser.close();
  }
  if (failures.length > 0) throw new AggregateError(failures, "Parts of the suite failed.");
  const noisy = figures.some((figure) => figure.holds === false && figure.spread > WIDEST_SPREAD);
  return { suite: "dashboard", figures, noisy };
}
