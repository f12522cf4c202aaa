import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { e2ePart, vitestPart } from "./parts.mjs";

let reports: string;
beforeAll(() => {
  reports = mkdtempSync(path.join(tmpdir(), "obleth-parts-"));
});
afterAll(() => rmSync(reports, { recursive: true }));

const vitest = (report: Record<string, unknown> | undefined, code: number) => {
  const file = path.join(reports, "vitest.json");
  rmSync(file, { force: true });
  if (report !== undefined)
    writeFileSync(file, JSON.stringify({ testResults: [], numTodoTests: 0, numPendingTests: 0, ...report }));
  return vitestPart(reports, ["unit"]).count(code);
};

describe("counting what the test runners did", () => {
  it("takes their own numbers", () => {
    expect(vitest({ numPassedTests: 5, numFailedTests: 2, numPendingTests: 1 }, 1)).toEqual({
      passed: 5,
      failed: 2,
      skipped: 1,
    });
  });

  it("counts a run without a report as failed, whatever its exit code", () => {
    expect(vitest(undefined, 0)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });

  it("counts a run of no tests at all as failed", () => {
    expect(vitest({ numPassedTests: 0, numFailedTests: 0 }, 0).failed).toBe(1);
  });

  it("counts a failed exit with no failed test as a failure", () => {
    expect(vitest({ numPassedTests: 5, numFailedTests: 0 }, 1)).toEqual({ passed: 5, failed: 1, skipped: 0 });
  });

  it("counts a test file that did not load as a failure", () => {
    const testResults = [{ status: "failed", assertionResults: [] }];
    expect(vitest({ numPassedTests: 5, numFailedTests: 0, testResults }, 1).failed).toBe(1);
  });

  it("counts flaky and unexpected browser tests and errors outside tests as failures", () => {
    const stats = { expected: 3, unexpected: 1, flaky: 1, skipped: 2 };
    writeFileSync(path.join(reports, "playwright.json"), JSON.stringify({ stats, errors: [{}] }));
    expect(e2ePart(reports).count(1)).toEqual({ passed: 3, failed: 3, skipped: 2 });
  });
});
