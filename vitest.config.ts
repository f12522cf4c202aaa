import { defineConfig } from "vitest/config";

/** One run over the whole repository. Names say the kind: `.test.ts` pure and quick, `.property.test.ts` random
 * histories, `.int.test.ts` needs the real Postgres and Redis that `scripts/services.ts` starts. */
const skip = ["**/node_modules/**", "**/dist/**", "**/.next/**", "e2e/**"];

/** Runs on the official clients of a year ago only; what it shares with the unit tests runs on today's as well. */
const olderClientsAlone = "apps/gateway/src/proxy/older-clients.test.ts";

export default defineConfig({
  test: {
    reporters: ["default"],
    setupFiles: ["scripts/testing/property-seed.ts"],
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["{apps,packages}/**/*.test.{ts,tsx}", "scripts/**/*.test.ts"],
          exclude: [...skip, "**/*.int.test.ts", "**/*.property.test.ts", olderClientsAlone],
          // Milliseconds each; the limit is for a machine that does much else.
          testTimeout: 20_000,
        },
      },
      {
        extends: true,
        resolve: {
          alias: [
            { find: /^openai$/, replacement: "openai-older" },
            { find: /^@anthropic-ai\/sdk/, replacement: "anthropic-sdk-older" },
          ],
        },
        test: {
          name: "older-clients",
          include: [
            olderClientsAlone,
            "apps/gateway/src/error-response.test.ts",
            "apps/gateway/src/proxy/{chat,comments,messages,refusals,streams,tool-calls}.test.ts",
          ],
          testTimeout: 20_000,
        },
      },
      {
        extends: true,
        test: {
          name: "property",
          include: ["{apps,packages}/**/*.property.test.ts"],
          exclude: skip,
          testTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: "integration",
          include: ["{apps,packages}/**/*.int.test.ts"],
          exclude: skip,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // After the others: real servers and clocks want the machine to themselves.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
