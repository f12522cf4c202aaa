/**
 * `npm run bench -- dashboard`: what the pages cost, in Chromium, production builds. Loading, moving between pages and idle
 * polling are measured on the running product with a full pool; the rest on 200 pools and 2,000 tenants made of fixtures.
 * Build first (`npm run build`).
 */
import { launch } from "./browser";
import { crowdFigures } from "./crowd";
import { loadingFigures } from "./loading";

/** Rounds of a paint that differ by more say more about the machine than about the page. */
const WIDEST_SPREAD = 1;

export async function runDashboardBench({ quick }: { readonly quick: boolean }) {
  const browser = await launch();
  try {
    const figures = [...(await loadingFigures(browser, quick)), ...(await crowdFigures(browser, quick))];
    const noisy = figures.some((figure) => figure.holds === false && figure.spread > WIDEST_SPREAD);
    return { suite: "dashboard", figures, noisy };
  } finally {
    await browser.close();
  }
}
