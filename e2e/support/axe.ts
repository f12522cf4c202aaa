/** Rules of accessibility that a page breaks, each with the first places. */
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** @param rules only these; every rule of WCAG 2.2 A and AA and best practice without it */
export async function violations(page: Page, rules: readonly string[] | null = null): Promise<string[]> {
  const axe = new AxeBuilder({ page });
  const result = await (rules === null ? axe.withTags(TAGS) : axe.withRules([...rules])).analyze();
  return result.violations.map((one) => {
    const nodes = one.nodes.slice(0, 3).map((node) => node.target.join(" "));
    return `${one.id}: ${nodes.join(" | ")}`;
  });
}
