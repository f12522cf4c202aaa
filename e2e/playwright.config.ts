import { defineConfig, devices } from "@playwright/test";

const executablePath = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";
const isRoot = process.getuid?.() === 0;
const jsonReport = process.env.PLAYWRIGHT_JSON_OUTPUT_FILE;

/** The whole product in a real browser. `npm run e2e` finds the browser, builds what is stale and runs this. */
export default defineConfig({
  testDir: "tests",
  outputDir: "test-results",
  forbidOnly: true,
  retries: 0,
  workers: 1,
  // On a machine that does much else, or is slow, pages and programs take several times as long.
  timeout: 180_000,
  expect: { timeout: 20_000 },
  reporter: jsonReport === undefined ? [["list"]] : [["list"], ["json", { outputFile: jsonReport }]],
  use: {
    ...devices["Desktop Chrome"],
    trace: "retain-on-failure",
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath,
      args: [
        ...(isRoot ? ["--no-sandbox"] : []),
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
});
