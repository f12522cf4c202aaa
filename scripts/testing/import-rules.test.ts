import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../launch/environment.mjs";
import { type Cruise, cruise } from "./cruise";

/** One import that each rule must catch: the file it stands in and what it says. */
const PLANTS: readonly (readonly [rule: string, file: string, code: string])[] = [
  ["fairshare-imports-nothing", "packages/fairshare/src/reads-files.ts", 'import "node:fs";'],
  ["fairshare-imports-nothing", "packages/fairshare/src/knows-db.ts", 'import "@obleth/db";'],
  ["fairshare-source-not-its-tests", "packages/fairshare/src/peeks.ts", 'import "../test/oracle";'],
  ["base-packages-stand-alone", "packages/contract/src/knows-db.ts", 'import "@obleth/db";'],
  ["base-packages-stand-alone", "packages/config/src/knows-clock.ts", 'import "@obleth/clock";'],
  ["clock-imports-nothing", "packages/clock/src/reads-files.ts", 'import "node:fs";'],
  ["cluster-imports-clock-and-fairshare-types", "packages/cluster/src/knows-db.ts", 'import "@obleth/db";'],
  [
    "cluster-takes-only-types-of-fairshare",
    "packages/cluster/src/runs-engine.ts",
    'import { a } from "@obleth/fairshare"; a;',
  ],
  ["redis-only-in-cluster", "apps/gateway/src/usage/counts-in-redis.ts", 'import "ioredis";'],
  ["postgres-only-in-db", "apps/gateway/src/usage/queries.ts", 'import "postgres";'],
  ["dashboard-imports-contract-and-split", "apps/dashboard/src/lib/runs-engine.ts", 'import "@obleth/fairshare";'],
  [
    "dashboard-imports-contract-and-split",
    "apps/dashboard/src/lib/gateway-type.ts",
    'import type { a } from "../../../gateway/src/log";',
  ],
  ["cli-imports-contract-and-words", "apps/cli/src/knows-db.ts", 'import "@obleth/db";'],
  ["cli-imports-contract-and-words", "apps/cli/src/runs-engine.ts", 'import "@obleth/fairshare";'],
  ["sim-backend-imports-nothing-of-ours", "apps/sim-backend/src/knows-clock.ts", 'import "@obleth/clock";'],
  ["e2e-imports-contract", "e2e/tests/knows-db.ts", 'import "@obleth/db";'],
  ["packages-never-import-apps", "packages/db/src/knows-gateway.ts", 'import "../../../apps/gateway/src/log";'],
  ["gateway-imports-no-other-app", "apps/gateway/src/usage/knows-sim.ts", 'import "../../../sim-backend/src/a";'],
  ["gateway-layers-point-down", "apps/gateway/src/scheduler/knows-proxy.ts", 'import "../proxy/pipeline";'],
  ["gateway-parts-not-composition", "apps/gateway/src/proxy/composes.ts", 'import "../compose";'],
  [
    "observe-sees-scheduler-through-snapshot",
    "apps/gateway/src/observe/reads-engine.ts",
    'import "../scheduler/scheduler";',
  ],
  ["management-not-proxy", "apps/gateway/src/management/knows-proxy.ts", 'import "../proxy/pipeline";'],
  ["dashboard-logic-without-react", "apps/dashboard/src/features/keys/logic/draws.ts", 'import "react";'],
  [
    "dashboard-ui-without-features",
    "apps/dashboard/src/components/ui/knows-keys.ts",
    'import "../../features/keys/a";',
  ],
  ["dashboard-features-apart", "apps/dashboard/src/features/keys/knows-tenants.ts", 'import "@/features/tenants/a";'],
  ["no-cycles", "packages/db/src/egg.ts", 'import "./hen";'],
  ["no-deep-imports", "apps/gateway/src/usage/goes-deep.ts", 'import "../../../../packages/db/src/index";'],
  ["sources-not-tests", "apps/gateway/src/usage/knows-test.ts", 'import "./a.test";'],
  ["resolvable", "apps/gateway/src/usage/past-exports.ts", 'import "@obleth/db/src/hen";'],
];

/** What the plants import, and imports that are allowed. */
const SOIL: Readonly<Record<string, string>> = {
  "packages/fairshare/test/oracle.ts": "export {};",
  "packages/fairshare/src/engine.test.ts": 'import "node:fs"; import "../test/oracle";',
  "packages/cluster/src/slots.ts":
    'import "ioredis"; import type { a } from "@obleth/fairshare"; import "@obleth/clock";',
  "packages/db/src/hen.ts": 'import "./egg"; import "postgres";',
  "apps/gateway/src/log.ts": "export type a = 1;",
  "apps/gateway/src/compose.ts": 'import "./proxy/pipeline"; import "@obleth/db";',
  "apps/gateway/src/proxy/pipeline.ts": 'import "../scheduler/scheduler"; import "@obleth/fairshare";',
  "apps/gateway/src/scheduler/scheduler.ts": 'import "@obleth/fairshare";',
  "apps/gateway/src/usage/a.test.ts": 'import "ioredis";',
  "apps/sim-backend/src/a.ts": "export {};",
  "apps/dashboard/src/features/tenants/a.ts": 'import "react"; import "@/lib/split";',
  "apps/dashboard/src/features/keys/a.ts": 'import "@obleth/contract";',
  "apps/dashboard/src/lib/split.ts": 'import "@obleth/fairshare/shares";',
  "apps/cli/src/a.ts": 'import "@obleth/contract"; import "@obleth/fairshare/shares";',
  "e2e/tests/a.ts": 'import "@obleth/contract";',
  "scripts/a.ts": 'import "@obleth/config";',
};

const ruleNames = (
  createRequire(import.meta.url)(path.join(ROOT, ".dependency-cruiser.cjs")) as { forbidden: { name: string }[] }
).forbidden.map((rule) => rule.name);

let tree: string;
let seen: Cruise;
beforeAll(() => {
  tree = mkdtempSync(path.join(tmpdir(), "obleth-imports-"));
  const write = (file: string, text: string) => {
    mkdirSync(path.join(tree, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(tree, file), text);
  };
  for (const name of ["clock", "cluster", "config", "contract", "db", "fairshare"]) {
    const exports = { ".": "./src/index.ts", "./shares": "./src/shares.ts" };
    write(`packages/${name}/package.json`, JSON.stringify({ name: `@obleth/${name}`, version: "0.1.0", exports }));
    write(`packages/${name}/src/index.ts`, "export const a = 1;");
    write(`packages/${name}/src/shares.ts`, "export const a = 1;");
    mkdirSync(path.join(tree, "node_modules/@obleth"), { recursive: true });
    symlinkSync(path.join(tree, "packages", name), path.join(tree, "node_modules/@obleth", name));
  }
  for (const name of ["ioredis", "postgres", "react"]) {
    write(`node_modules/${name}/package.json`, JSON.stringify({ name, version: "1.0.0", main: "index.js" }));
    write(`node_modules/${name}/index.js`, "");
  }
  write("package.json", JSON.stringify({ name: "planted", version: "1.0.0" }));
  write("tsconfig.base.json", JSON.stringify({ compilerOptions: { module: "ESNext", moduleResolution: "bundler" } }));
  const config = { extends: "./tsconfig.base.json", compilerOptions: { paths: { "@/*": ["./apps/dashboard/src/*"] } } };
  write("tsconfig.imports.json", JSON.stringify(config));
  for (const [file, code] of Object.entries(SOIL)) write(file, code);
  for (const [, file, code] of PLANTS) write(file, code);
  seen = cruise(tree);
}, 60_000);
afterAll(() => rmSync(tree, { recursive: true, force: true }));

describe("the import rules", () => {
  it.each(PLANTS)("%s catches %s", (rule, file) => {
    expect(seen.violations).toContainEqual(expect.objectContaining({ rule, from: file }));
  });

  it("are each proven by a plant", () => {
    const planted = new Set(PLANTS.map(([rule]) => rule));
    expect(ruleNames.filter((name) => !planted.has(name))).toEqual([]);
  });

  it("let through what is allowed", () => {
    const allowed = Object.keys(SOIL).filter((file) => !file.endsWith("hen.ts"));
    expect(seen.violations.filter((one) => allowed.includes(one.from))).toEqual([]);
  });

  it("count only our own modules", () => {
    expect(seen.modulesSeen).toBeGreaterThanOrEqual(PLANTS.length + Object.keys(SOIL).length);
    expect(seen.modulesSeen).toBeLessThan(PLANTS.length + Object.keys(SOIL).length + 15);
  });
});
