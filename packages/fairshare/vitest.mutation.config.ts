import { defineConfig } from "vitest/config";

/** The quick tests that mutants are run against: `npx stryker run` in this folder. */
export default defineConfig({
  test: {
    include: [
      "src/shares.test.ts",
      "src/select.test.ts",
      "src/ledger.test.ts",
      "src/situations.test.ts",
      "src/changes.test.ts",
      "src/claims.test.ts",
      "src/line-split.test.ts",
      "test/found-faults.test.ts",
      "test/engine-sample.test.ts",
      "test/shares-sample.test.ts",
    ],
    // All but the two that take seconds: every changed line is run against what is left.
    testNamePattern: "^(?!.*each round of 10,000 grants)",
    testTimeout: 60_000,
  },
});
