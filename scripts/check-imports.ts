/**
 * Checks who imports whom. A cruise that saw next to nothing would find nothing wrong either, so it also fails when it
 * read fewer modules than the repository plainly has.
 */
import { ROOT } from "./launch/environment.mjs";
import { cruise } from "./testing/cruise";

/** Well below what there is and far above what a misread configuration sees. */
const FEWEST_MODULES = 250;

const { modulesSeen, violations } = cruise(ROOT);
for (const { rule, from, to } of violations) console.error(`${rule}: ${from} imports ${to}`);
if (modulesSeen < FEWEST_MODULES)
  console.error(`only ${modulesSeen} modules were read, expected ${FEWEST_MODULES} or more`);
console.log(`${modulesSeen} modules read, ${violations.length} forbidden imports`);
process.exitCode = violations.length === 0 && modulesSeen >= FEWEST_MODULES ? 0 : 1;
